import { findStore } from '@loom/data-folder';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { readConfig } from '../config/index.ts';

/** What shall keep new logs of a folder: what is asked for, else what the settings in it say, else what keeps those that are there. */
export async function chooseStore(dataDir: string, wanted: StoreKind | undefined): Promise<StoreKind> {
  if (wanted !== undefined) return wanted;
  const { config } = await readConfig({ dataDir, env: {} });
  return config.store ?? (await findStore(dataDir)) ?? 'sqlite';
}

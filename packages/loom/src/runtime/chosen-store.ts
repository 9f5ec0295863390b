import { findStore } from '@loom/data-folder';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { readConfig } from '../config/index.ts';

/** Returns the store for new logs of a folder: the one asked for, else the one its settings name, else the one of the existing logs. */
export async function chooseStore(dataDir: string, wanted: StoreKind | undefined): Promise<StoreKind> {
  if (wanted !== undefined) return wanted;
  const { config } = await readConfig({ dataDir, env: {} });
  return config.store ?? (await findStore(dataDir)) ?? 'sqlite';
}

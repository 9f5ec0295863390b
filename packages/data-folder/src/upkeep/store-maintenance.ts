import { filesMaintenance } from '@loom/stores/files';
import type { StoreMaintenance } from '@loom/stores/maintenance';
import { sqliteMaintenance } from '@loom/stores/sqlite';
import type { StoreKind } from '../store-kind.ts';
import { findStore } from '../opening/data-store.ts';

/** Returns the maintenance of a data folder's store; `undefined` without a store. */
export async function maintenanceOf(dataDir: string): Promise<StoreMaintenance | undefined> {
  const kind = await findStore(dataDir);
  return kind && maintenances[kind](dataDir);
}

const maintenances: Record<StoreKind, (dataDir: string) => StoreMaintenance> = {
  sqlite: sqliteMaintenance,
  files: filesMaintenance,
};

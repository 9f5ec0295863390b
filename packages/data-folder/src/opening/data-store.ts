import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { forestLogName } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import {
  holdsLogFiles,
  isListDamaged,
  openFileSystemReader,
  openFileSystemStore,
  putDamagedListAside,
  withoutList,
} from '@loom/stores/files';
import type { LostLog, TornWrite } from '@loom/stores/files';
import { findDatabase, inspectLosses, openSqliteStore } from '@loom/stores/sqlite';
import { FolderError } from '../folder-error.ts';
import type { StoreKind } from '../store-kind.ts';
import { findWriter } from './writer-lock.ts';

/** Returns the kind of store that keeps the logs of a data folder: by the present store, or by traces of its logs. `undefined` without logs. */
export async function findStore(dataDir: string): Promise<StoreKind | undefined> {
  const hasList = existsSync(join(dataDir, forestLogName, 'log.jsonl'));
  switch (findDatabase(dataDir)) {
    case 'present':
      if (!hasList) return 'sqlite';
      throw new FolderError({ code: 'two-stores', folder: dataDir, database: databaseName });
    case 'lost':
      return hasList ? 'files' : 'sqlite';
    case 'none':
      if (await holdsLogFiles(dataDir)) return 'files';
      // An empty one is left by a first opening that was cut short.
      return existsSync(join(dataDir, databaseName)) ? 'sqlite' : undefined;
  }
}

/** Opens the logs of a folder as their only writer. */
export async function openStore(directory: string, kind: StoreKind, news: StoreNews = {}): Promise<Store> {
  const { damagedList, ...told } = news;
  if (kind !== 'files') return openSqliteStore({ directory, ...told });
  const kept = await putDamagedListAside(directory);
  if (kept !== undefined) damagedList?.(kept);
  return openFileSystemStore({ directory, ...told });
}

/** The news for a process that opens logs. */
export interface StoreNews {
  /** Called for a write that was cut short and put aside, if logs are files. */
  torn?: (torn: TornWrite) => void;
  /** A log, or a part of one, is gone although it was acknowledged. */
  lost?: (lost: LostLog) => void;
  /** Called if the list of conversations is damaged and rebuilt from them; the writer has kept the old one here. */
  damagedList?: (kept: string | undefined) => void;
}

/** Opens the logs of a folder for a process that only reads, while others may write. `undefined` if all of them are lost. */
export async function openStoreToLook(
  directory: string,
  kind: StoreKind,
  { lost = () => {}, damagedList }: Pick<StoreNews, 'lost' | 'damagedList'> = {},
): Promise<Store | undefined> {
  if (kind === 'files') {
    const store = openFileSystemReader({ directory, lost });
    if (!(await isListDamaged(directory))) return store;
    damagedList?.(undefined);
    return withoutList(store);
  }
  if (findDatabase(directory) !== 'present') {
    for (const { log, epoch, seq, end } of await inspectLosses(directory)) lost({ log, epoch, seq, end });
    return undefined;
  }
  const isAlone = (await findWriter(directory)) === undefined;
  return openSqliteStore({ directory, looks: isAlone ? 'alone' : 'beside-others', lost });
}

const databaseName = 'loom.db';

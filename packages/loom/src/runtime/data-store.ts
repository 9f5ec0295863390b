import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { forestLogName } from '@loom/kernel';
import type { Store } from '@loom/kernel';
import { holdsLogFiles, openFileSystemReader, openFileSystemStore } from '@loom/stores/files';
import type { LostLog, TornWrite } from '@loom/stores/files';
import { openSqliteStore } from '@loom/stores/sqlite';
import { readConfig } from '../config/index.ts';
import { LoomError } from '../failure.ts';
import type { StoreKind } from '../store-kind.ts';
import { findWriter } from './writer-lock.ts';

/** What keeps the logs of a data folder: what is there says so. `undefined` if there are none. */
export async function findStore(dataDir: string): Promise<StoreKind | undefined> {
  const database = join(dataDir, databaseName);
  if (!existsSync(database)) return (await holdsLogFiles(dataDir)) ? 'files' : undefined;
  if (!existsSync(join(dataDir, forestLogName, 'log.jsonl'))) return 'sqlite';
  // An empty one is what a first opening leaves that was cut short.
  if (statSync(database).size === 0) return 'files';
  throw new LoomError('two-stores', `${dataDir} holds two stores: ${databaseName}, and logs in files`, {
    advice: `They are not mixed. Move one of them out of the folder: ${databaseName} with all that begins so, or every log.jsonl (forest/log.jsonl and those in the folders of conversations).`,
  });
}

/** What shall keep new logs of a folder: what is asked for, else what the settings in it say, else what keeps those that are there. */
export async function chooseStore(dataDir: string, wanted: StoreKind | undefined): Promise<StoreKind> {
  if (wanted !== undefined) return wanted;
  const { config } = await readConfig({ dataDir, env: {} });
  return config.store ?? (await findStore(dataDir)) ?? 'sqlite';
}

/** Opens the logs of a folder as their only writer. */
export function openStore(directory: string, kind: StoreKind, told: LogFilesNews = {}): Promise<Store> {
  return kind === 'files' ? openFileSystemStore({ directory, ...told }) : openSqliteStore({ directory });
}

/** What whoever opens logs in files is told of. */
export interface LogFilesNews {
  /** A write that was cut short has been put aside. */
  torn?: (torn: TornWrite) => void;
  /** A log is gone of which something had been acknowledged. */
  lost?: (lost: LostLog) => void;
}

/** Opens the logs of a folder for somebody who only looks, while others may write. */
export async function openStoreToLook(
  directory: string,
  kind: StoreKind,
  told: Pick<LogFilesNews, 'lost'> = {},
): Promise<Store> {
  if (kind === 'files') return openFileSystemReader({ directory, ...told });
  const isAlone = (await findWriter(directory)) === undefined;
  return openSqliteStore({ directory, looks: isAlone ? 'alone' : 'beside-others' });
}

const databaseName = 'loom.db';

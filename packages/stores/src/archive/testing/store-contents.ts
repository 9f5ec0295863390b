import type { Store } from '@loom/kernel/store';
import { exportArchive, importArchive } from '../index.ts';
import type { ArchiveCursor, ImportReport } from '../index.ts';
import { walkLog } from '../log-walk.ts';

/** Returns the changes of all logs of a store, by log. */
export async function contentsOf(store: Store): Promise<Map<string, string[]>> {
  const contents = new Map<string, string[]>();
  for (const log of await store.logs()) contents.set(log, await changesOf(store, log));
  return contents;
}

export async function changesOf(store: Store, log: string): Promise<string[]> {
  const changes: string[] = [];
  for await (const { records } of walkLog(store, log, 0)) {
    for (const record of records) for (const { canonical } of record.changes) changes.push(canonical);
  }
  return changes;
}

export async function archiveOf(store: Store, since?: ArchiveCursor): Promise<string[]> {
  return collect(exportArchive({ store, since, now: () => 0 }));
}

export function take(store: Store, lines: readonly string[]): Promise<ImportReport> {
  return importArchive({ store, lines: iterate(lines) });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function* iterate<T>(items: Iterable<T>): AsyncGenerator<T, void, void> {
  yield* items;
}

import { isPlainObject } from '@loom/blocks';
import { jsonPart, numberKey } from '../snapshot/parts.ts';
import type { SnapshotDump, Snapshots } from '../snapshot/snapshots.ts';
import type { ProjectionPart } from '../store.ts';
import { HomeState } from './home-state.ts';
import type { HomeEntry } from './home-state.ts';

/** The state of a home as parts: each entry is one, so that a change writes what it set and nothing else. */
export const homeSnapshots: Snapshots<HomeState> = {
  dump: dumpHome,
  load: loadHome,
  isWhole: (parts) => loadHome(parts) !== undefined,
};

const format = 1;
const entryPrefix = 'entry/';
const requestPrefix = 'requests/';

interface Head {
  format: number;
  seq: number;
  /** The numbers of both, so that a missing part shows. */
  entries: number;
  requests: number;
}

function dumpHome(state: HomeState, base: number): SnapshotDump {
  const { seq, entries, requests } = state;
  const changed = base === 0 ? [...entries.keys()] : state.changedAfter(base);
  const head: Head = { format, seq, entries: entries.size, requests: requests.size };
  return {
    put: [
      ...changed.flatMap((key) => {
        const entry = entries.get(key);
        return entry === undefined ? [] : [jsonPart(entryPrefix + key, entry)];
      }),
      jsonPart(requestPrefix + numberKey(base), requests.entriesAfter(base)),
      jsonPart('head', head),
    ],
    drop: changed.filter((key) => !entries.has(key)).map((key) => entryPrefix + key),
    saved: () => state.noteSaved(seq),
  };
}

function loadHome(parts: readonly ProjectionPart[]): HomeState | undefined {
  const state = new HomeState();
  let head: unknown;
  for (const { key, text } of parts) {
    const value: unknown = JSON.parse(text);
    if (key === 'head') head = value;
    else if (key.startsWith(entryPrefix) && isEntry(value)) state.entries.set(key.slice(entryPrefix.length), value);
    else if (key.startsWith(requestPrefix) && isNumbers(value)) state.requests.load(value);
    else return undefined;
  }
  if (!isHead(head)) return undefined;
  state.seq = head.seq;
  return state.entries.size === head.entries && state.requests.size === head.requests ? state : undefined;
}

function isHead(value: unknown): value is Head {
  return isPlainObject(value) && value['format'] === format;
}

function isEntry(value: unknown): value is HomeEntry {
  return isPlainObject(value) && isPlainObject(value['value']);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value);
}

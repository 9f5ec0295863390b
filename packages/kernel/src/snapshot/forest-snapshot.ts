import { isPlainObject } from '@loom/blocks';
import { ForestState } from '../state/forest-state.ts';
import type { ProjectionPart } from '../store.ts';
import { jsonPart, numberKey } from './parts.ts';
import type { SnapshotDump, Snapshots } from './snapshots.ts';

/** The list of roots as parts: the roots listed since the last snapshot are one more. */
export const forestSnapshots: Snapshots<ForestState> = {
  dump: dumpForest,
  load: loadForest,
  isWhole: (parts) => loadForest(parts) !== undefined,
};

const format = 1;

interface Head {
  format: number;
  seq: number;
  roots: number;
  requests: number;
  acknowledged?: [log: string, seq: number, epoch?: string][];
}

interface Listed {
  roots: [root: string, created: number, key?: string][];
  requests: number[];
}

function dumpForest(state: ForestState, base: number): SnapshotDump {
  const listed: Listed = {
    roots: [...state.roots].flatMap(([root, { created, key, seq }]): Listed['roots'] =>
      seq <= base ? [] : [key === undefined ? [root, created] : [root, created, key]],
    ),
    requests: state.requests.entriesAfter(base),
  };
  const acknowledged = state.acknowledged.list();
  const head: Head = {
    format,
    seq: state.seq,
    roots: state.roots.size,
    requests: state.requests.size,
    ...(acknowledged.length === 0 ? {} : { acknowledged }),
  };
  return { put: [jsonPart(`listed/${numberKey(base)}`, listed), jsonPart('head', head)], drop: [], saved: () => {} };
}

function loadForest(parts: readonly ProjectionPart[]): ForestState | undefined {
  const values = new Map<string, unknown>(parts.map(({ key, text }) => [key, JSON.parse(text)]));
  const head = values.get('head');
  if (!isHead(head)) return undefined;
  const state = new ForestState();
  state.seq = head.seq;
  for (const [log, seq, epoch] of head.acknowledged ?? []) {
    state.acknowledged.add(log, epoch === undefined ? { seq } : { seq, epoch });
  }
  for (const [key, listed] of values) {
    if (key === 'head') continue;
    if (!isListed(listed)) return undefined;
    for (const [root, created, uniqueKey] of listed.roots) state.list(root, created, uniqueKey, head.seq);
    state.requests.load(listed.requests);
  }
  return state.roots.size === head.roots && state.requests.size === head.requests ? state : undefined;
}

function isHead(value: unknown): value is Head {
  return isPlainObject(value) && value['format'] === format;
}

function isListed(value: unknown): value is Listed {
  return isPlainObject(value) && Array.isArray(value['roots']) && Array.isArray(value['requests']);
}

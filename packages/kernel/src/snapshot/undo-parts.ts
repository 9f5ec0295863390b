import { isPlainObject } from '@loom/blocks';
import type { LastChangesDump } from '../state/undo/last-changes.ts';
import type { UndoRecord, UndoWindow } from '../state/undo/undo-history.ts';
import type { RootState } from '../state/root-state.ts';
import type { ProjectionPart } from '../store.ts';
import { jsonPart, spanKey } from './parts.ts';
import type { Parts } from './parts.ts';

/** The small part of the undo records: the window, and the names of the parts that hold the rest. */
export interface UndoRest {
  undo: UndoWindow & { parts: readonly string[] };
}

/** The first format had everything there. */
export interface FirstUndoRest {
  undo: { undone: number[]; last: LastChangesDump };
  undoRecords: UndoRecord[];
}

interface UndoDump {
  put: ProjectionPart[];
  drop: string[];
  rest: UndoRest;
  noteSaved: () => void;
}

/**
 * Dumps the records needed to undo the newest changes. A change may have made thousands of nodes, so records are written
 * once, and all of them again only after some snapshots, to get rid of those that have become too old.
 */
export function dumpUndo(state: RootState, base: number): UndoDump {
  const { history } = state;
  const before = state.undoParts;
  const isWhole = base === 0 || before.length === 0 || before.length >= mostParts;
  const { records, last } = isWhole ? history.dump() : history.dumpAfter(base);
  const isEmpty = records.length === 0 && Object.values(last).every((entries) => entries.length === 0);
  const name = spanKey(isWhole ? 0 : base, state.seq);
  const added = isEmpty ? [] : [name];
  const parts = isWhole ? added : [...before, ...added];
  return {
    put: isEmpty ? [] : [jsonPart(recordsKey(name), records), jsonPart(placesKey(name), last)],
    drop: isWhole
      ? before.filter((part) => !added.includes(part)).flatMap((part) => [recordsKey(part), placesKey(part)])
      : [],
    rest: { undo: { ...history.window(), parts } },
    noteSaved: () => {
      state.undoParts = parts;
      history.noteSaved(last);
    },
  };
}

/** Takes over a dump, if it is all there. */
export function loadUndo(state: RootState, rest: UndoRest | FirstUndoRest, parts: Parts): boolean {
  if ('undoRecords' in rest) {
    const { undo, undoRecords } = rest;
    const seqs = undoRecords.map(({ seq }) => seq);
    state.history.load({ seqs, undone: undo.undone }, [{ last: undo.last, readRecords: () => undoRecords }]);
    return true;
  }
  const loaded = rest.undo.parts.map((name) => {
    const [records, last] = [parts.text(recordsKey(name)), parts.value(placesKey(name))];
    if (records === undefined || !isPlaces(last)) return undefined;
    return { last: withOwnIds(state, last), readRecords: readLater(records) };
  });
  const whole = loaded.filter((part) => part !== undefined);
  if (whole.length < loaded.length) return false;
  state.history.load(rest.undo, whole);
  state.undoParts = rest.undo.parts;
  return true;
}

/**
 * Returns a function made apart from everything else: a function keeps everything alive that is in scope where it is made,
 * here all texts of a snapshot.
 */
function readLater(text: string): () => readonly UndoRecord[] {
  return () => {
    const records: unknown = JSON.parse(text);
    if (!isRecords(records)) throw new TypeError('a snapshot has no undo records where it says that it has');
    return records;
  };
}

/** The same with one copy of every id. */
function withOwnIds({ nodes }: RootState, { node, children, ...others }: LastChangesDump): LastChangesDump {
  const own = ([key, seq]: LastChangesDump['node'][number]): LastChangesDump['node'][number] => [
    nodes.get(key)?.id ?? key,
    seq,
  ];
  return { node: node.map(own), children: children.map(own), ...others };
}

const recordsKey = (name: string): string => `undo/${name}`;
const placesKey = (name: string): string => `places/${name}`;

const mostParts = 16;

// Like other parts, a part of the right format was written by this very code.

function isRecords(value: unknown): value is UndoRecord[] {
  return Array.isArray(value);
}

function isPlaces(value: unknown): value is LastChangesDump {
  return isPlainObject(value);
}

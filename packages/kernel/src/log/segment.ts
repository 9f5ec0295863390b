import { z } from 'zod';
import { cleanString } from '@loom/blocks';
import type { Change } from '../change.ts';
import type { Folding } from './codec/change-codec.ts';
import type { RootOp } from '../op.ts';

/**
 * A segment is a run of changes that a store keeps as one record. Nothing is lost: appends that follow each other, which are
 * most of a streamed conversation, become one text with the length and the time of each.
 */
type SegmentEntry = Change<RootOp> | FoldedAppends;

/** Appends by one writer to one field, one after the other. */
interface FoldedAppends {
  seq: number;
  agent: string;
  turn: string;
  /** The request of the first; the others count on. */
  request: string;
  folded: { block: string; field: AppendOp['field']; unit: string; text: string };
  /** For each append how many milliseconds after the one before, and how many UTF-16 units; the first has its time. */
  parts: [milliseconds: number, length: number][];
}

type AppendOp = Extract<RootOp, { type: 'text-appended' }>;
type Append = Change<RootOp> & { turn: string; ops: [AppendOp] };

/** The schema of a folded entry; the changes beside it are checked as every change is. */
const foldedAppends: z.ZodType<FoldedAppends> = z.strictObject({
  seq: z.int().positive(),
  agent: z.string(),
  turn: z.string(),
  request: z.string(),
  folded: z.strictObject({
    block: z.string(),
    field: z.enum(['text', 'arguments', 'stdout', 'stderr']),
    unit: z.string(),
    text: cleanString,
  }),
  parts: z.array(z.tuple([z.number(), z.int().nonnegative()])).min(1),
});

/** The folding of a root's log. */
export const appendFolding: Folding<RootOp, FoldedAppends> = {
  schema: foldedAppends,
  fold: foldChanges,
  unfold: unfoldEntry,
  lastSeq: (entry) => ('folded' in entry ? entry.seq + entry.parts.length - 1 : entry.seq),
};

/** Writes changes that follow each other as entries of a segment. */
function foldChanges(changes: readonly Change<RootOp>[]): SegmentEntry[] {
  const entries: SegmentEntry[] = [];
  let run: Append[] = [];
  const endRun = (): void => {
    const [only, ...others] = run;
    if (only !== undefined) entries.push(others.length === 0 ? only : foldRun(run, only));
    run = [];
  };
  for (const change of changes) {
    const append = asAppend(change);
    const last = run.at(-1);
    if (append !== undefined && (last === undefined || follows(last, append))) {
      run.push(append);
      continue;
    }
    endRun();
    if (append === undefined) entries.push(change);
    else run.push(append);
  }
  endRun();
  return entries;
}

/** The changes that an entry was made of. */
function unfoldEntry(entry: SegmentEntry): Change<RootOp>[] {
  if (!('folded' in entry)) return [entry];
  const { seq, agent, turn, request, folded, parts } = entry;
  const { text, ...op } = folded;
  let time = 0;
  let at = 0;
  return parts.map(([milliseconds, length], index) => {
    time += milliseconds;
    at += length;
    return {
      seq: seq + index,
      time,
      agent,
      turn,
      request: requestAfter(request, index),
      result: null,
      ops: [{ type: 'text-appended', ...op, text: text.slice(at - length, at) }],
    };
  });
}

function foldRun(run: readonly Append[], first: Append): FoldedAppends {
  let time = 0;
  let text = '';
  const parts = run.map((append): [number, number] => {
    const [op] = append.ops;
    const milliseconds = append.time - time;
    time = append.time;
    text += op.text;
    return [milliseconds, op.text.length];
  });
  const { seq, agent, turn, request, ops } = first;
  const [{ block, field, unit }] = ops;
  return { seq, agent, turn, request, folded: { block, field, unit, text }, parts };
}

/** Returns a change that only appends for a turn and answers nothing: one whose fields all follow from its neighbors'. */
function asAppend(change: Change<RootOp>): Append | undefined {
  const { seq, time, agent, turn, request, result, ops } = change;
  const [op, ...others] = ops;
  if (turn === undefined || op?.type !== 'text-appended' || others.length > 0) return undefined;
  if (result !== null || requestAfter(request, 0) !== request) return undefined;
  return { seq, time, agent, turn, request, result, ops: [op] };
}

function follows(last: Append, next: Append): boolean {
  const [before, after] = [last.ops[0], next.ops[0]];
  return (
    next.seq === last.seq + 1 &&
    next.agent === last.agent &&
    next.turn === last.turn &&
    next.request === requestAfter(last.request, 1) &&
    after.block === before.block &&
    after.field === before.field &&
    after.unit === before.unit
  );
}

/** Requests of one writer end in a number that counts up: `01J….7`. Others do not count. */
function requestAfter(request: string, steps: number): string {
  const dot = request.lastIndexOf('.');
  return `${request.slice(0, dot)}.${Number(request.slice(dot + 1)) + steps}`;
}

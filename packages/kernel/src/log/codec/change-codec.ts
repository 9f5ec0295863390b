import { z } from 'zod';
import { agentId, copyJson, describeProblems, isPlainObject, problemsOf } from '@loom/blocks';
import type { ValueProblem } from '@loom/blocks';
import { checkedText, joinWithChecksum, withChecksum } from '../checked-text.ts';
import { readJson } from '../../read-json.ts';
import { createSchemaCopier } from './schema-copier.ts';
import { groupRecords } from '../record-groups.ts';
import type { Change } from '../../change.ts';
import { StoreError } from '../../store.ts';
import type { LogRecord, NewRecord } from '../../store.ts';

/** Reads and writes the changes of one kind of log. */
export interface ChangeCodec<Op> {
  /**
   * Returns the change as it will be read back: the door of a log. Refuses a change that could not be read back, or would
   * come back as something else.
   */
  admit(change: Change<Op>): Admission<Op>;
  encode(change: Change<Op>): string;
  /** The number that a log needs to hold some changes, as part of an append; nothing if every log has it. */
  formatOf(changes: readonly Change<Op>[]): { format?: number };
  /** The records of changes that are written together: one for each of a few, segments of many. */
  encodeBatch(changes: readonly Change<Op>[]): NewRecord[];
  /** Several changes that follow each other, as one text. */
  encodeSegment(changes: readonly Change<Op>[]): string;
  /** The changes of a text, one or more. Throws a `StoreError` (`store-corrupt`) if it is damaged or holds no change. */
  decode(text: string): Change<Op>[];
  /** Reads a text entry by entry, with the reason for each entry that cannot be read: for repairing a log. */
  decodeEach(text: string): DecodedEntry<Op>[];
}

/** A change that was read, or the problem in its place; its seq is known if the text still gives it. */
export type DecodedEntry<Op> =
  | { ok: true; change: Change<Op> }
  | { ok: false; seq: number | undefined; value: unknown; problem: string };

export type Admission<Op> = { ok: true; change: Change<Op> } | { ok: false; problems: ValueProblem[] };

/** The way to write the changes of a segment shorter than one by one. */
export interface Folding<Op, Folded> {
  schema: z.ZodType<Folded>;
  fold(changes: readonly Change<Op>[]): (Change<Op> | Folded)[];
  unfold(entry: Change<Op> | Folded): Change<Op>[];
  /** The seq of the last change that an entry holds. */
  lastSeq(entry: Change<Op> | Folded): number;
}

/** Options of a codec, for kinds of logs that need more than their ops. */
export interface CodecOptions<Op, Folded> {
  folding?: Folding<Op, Folded>;
  /** Admits the most frequent ops without the schema. */
  quick?: (op: Op) => Op | undefined;
  /** The number that a change needs; by default that of every log. */
  formatOf?: (change: Change<Op>) => number;
}

/** The text of a change is its JSON behind a checksum. */
export function createChangeCodec<Op, Folded = never>(
  op: z.ZodType<Op>,
  { folding, quick, formatOf }: CodecOptions<Op, Folded> = {},
): ChangeCodec<Op> {
  const single: z.ZodType<Change<Op>> = z.strictObject({
    seq: z.int().positive(),
    time: z.number(),
    agent: agentId,
    turn: z.string().exactOptional(),
    request: z.string(),
    result: z.unknown().exactOptional(),
    ops: z.array(op).min(1),
  });
  const copySingle = createSchemaCopier(single);
  const copyFolded = folding && createSchemaCopier(folding.schema);
  const entry = folding === undefined ? single : z.union([single, folding.schema]);
  const segment = z.strictObject({ segment: z.array(entry).min(1) });
  const unfold = (read: Change<Op> | Folded): Change<Op>[] =>
    folding === undefined ? [parseWith(single, read)] : folding.unfold(read);
  /** The changes of a segment, or `undefined` if its schema has to look at it. */
  const readSegment = (value: unknown): Change<Op>[] | undefined => {
    const changes: Change<Op>[] = [];
    const entries = isPlainObject(value) && Object.keys(value).length === 1 ? value['segment'] : undefined;
    if (!Array.isArray(entries) || entries.length === 0) return undefined;
    for (const candidate of entries) {
      const change = copySingle(candidate);
      const folded = change === undefined ? copyFolded?.(candidate) : undefined;
      if (change !== undefined) changes.push(change);
      else if (folded !== undefined) changes.push(...unfold(folded));
      else return undefined;
    }
    return changes;
  };
  const encode = (change: Change<Op>): string => withChecksum(JSON.stringify(change));
  return {
    admit: (proposed) => {
      const only = quick !== undefined && proposed.ops.length === 1 ? proposed.ops[0] : undefined;
      const simple = only === undefined ? undefined : quick?.(only);
      const whole = simple === undefined ? undefined : withOp(proposed, simple);
      if (whole !== undefined) return { ok: true, change: whole };
      const change = copySingle(proposed);
      if (change !== undefined) return { ok: true, change };
      const copied = copyJson(proposed);
      if (!copied.ok) return copied;
      const parsed = single.safeParse(copied.value);
      if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
      return { ok: true, change: parsed.data };
    },
    encode,
    formatOf: (changes) => {
      let format = lowestFormat;
      if (formatOf !== undefined) for (const change of changes) format = Math.max(format, formatOf(change));
      return format === lowestFormat ? {} : { format };
    },
    encodeBatch: (changes) => {
      if (changes.length < fewestInSegment) return changes.map((change) => ({ seq: change.seq, text: encode(change) }));
      const entries =
        folding === undefined
          ? changes.map((change) => ({ seq: change.seq, text: JSON.stringify(change) }))
          : folding.fold(changes).map((one) => ({ seq: folding.lastSeq(one), text: JSON.stringify(one) }));
      return recordsOf((changes[0]?.seq ?? 1) - 1, entries);
    },
    encodeSegment: (changes) => withChecksum(JSON.stringify({ segment: folding?.fold(changes) ?? changes })),
    decode: (text) => {
      const json = checkedText(text);
      if (json === undefined) throw corrupt('its checksum does not match');
      const value: unknown = JSON.parse(json);
      if (!json.startsWith(segmentStart)) return [copySingle(value) ?? parseWith(single, value)];
      return readSegment(value) ?? parseWith(segment, value).segment.flatMap(unfold);
    },
    decodeEach: (text) => {
      const json = checkedText(text);
      const value = json === undefined ? undefined : readJson(json);
      if (text === '') return [unreadable(null, 'it is missing')];
      // The damaged entry still shows what it was, but its seq may be wrong as well.
      if (value === undefined) {
        const problem = 'its checksum does not match';
        return [{ ok: false, seq: undefined, value: readJson(text.slice(checksumLength)) ?? text, problem }];
      }
      return entriesOf(value).flatMap((candidate): DecodedEntry<Op>[] => {
        const parsed = entry.safeParse(candidate);
        if (!parsed.success) return [unreadable(candidate, describeProblems(parsed.error))];
        return unfold(parsed.data).map((change) => ({ ok: true, change }));
      });
    },
  };
}

/** Entries in records: several in a segment, unless one is long. A change that stands alone is written as such. */
function recordsOf(before: number, entries: readonly LogRecord[]): NewRecord[] {
  let last = before;
  return groupRecords(entries).map((group) => {
    const first = last + 1;
    last = group.at(-1)?.seq ?? last;
    const texts = group.map(({ text }) => text);
    if (first === last) return { seq: last, text: joinWithChecksum(texts) };
    const pieces = texts.flatMap((text, index) => [index === 0 ? `${segmentStart}[` : ',', text]);
    return { first, seq: last, text: joinWithChecksum([...pieces, ']}']) };
  });
}

/** The change with an op that is right, if everything else about it is: the log has checked who asks. */
function withOp<Op>({ seq, time, agent, turn, request, result }: Change<Op>, op: Op): Change<Op> | undefined {
  const copied = result === undefined ? { ok: true as const, value: undefined } : copyJson(result);
  if (!copied.ok || !Number.isFinite(time)) return undefined;
  const change: Change<Op> = { seq, time, agent, request, ops: [op] };
  if (turn !== undefined) change.turn = turn;
  if (copied.value !== undefined) change.result = copied.value;
  return change;
}

function entriesOf(value: unknown): unknown[] {
  const parsed = z.object({ segment: z.array(z.unknown()) }).safeParse(value);
  return parsed.success ? parsed.data.segment : [value];
}

function unreadable(value: unknown, problem: string): Extract<DecodedEntry<never>, { ok: false }> {
  const parsed = z.object({ seq: z.int().positive() }).safeParse(value);
  return { ok: false, seq: parsed.data?.seq, value, problem };
}

/** The fewest changes written together for which a segment saves something: an import, or all that came while the disk was busy. */
const fewestInSegment = 8;

/** The number of changes that every log may hold. */
const lowestFormat = 2;

/** The length of the checksum with the space behind it. */
const checksumLength = 9;
const segmentStart = '{"segment":';

function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw corrupt(describeProblems(parsed.error));
  return parsed.data;
}

function corrupt(why: string): StoreError {
  return new StoreError(
    'store-corrupt',
    `a change of the log is damaged: ${why}`,
    'If a newer Loom has written here, use that one. Otherwise restore a backup, or have what cannot be read set aside: the rest opens then.',
    { remedy: 'set-aside' },
  );
}

import { forestCodec, forestLogName, homeCodec, isHomeLog, rootCodec } from '@loom/kernel/logs';
import type { Change, ChangeCodec, ForestOp, HomeOp, RootOp } from '@loom/kernel/logs';
import { canonicalJson } from './log-chain.ts';

/** A step of a change of any kind of log. */
export type AnyOp = RootOp | ForestOp | HomeOp;

/** A parsed record of a log: its changes, whatever kind of log it is. */
export interface ReadRecord {
  /** The record as it is kept, or as it would be if it held only these changes. */
  text: string;
  changes: ReadChange[];
}

export interface ReadChange {
  seq: number;
  /** Milliseconds since 1970. */
  time: number;
  ops: readonly AnyOp[];
  /** The content of the change, always in the same form. */
  canonical: string;
  /** The change as a separate record. */
  encode(): string;
}

/** Reads a record. Throws the codec's error if it is damaged. */
export function readRecord(log: string, text: string): ReadRecord {
  if (isHomeLog(log)) return readWith(homeCodec, text);
  return log === forestLogName ? readWith(forestCodec, text) : readWith(rootCodec, text);
}

/** The part of a record that lies in a range of seqs; `undefined` if nothing does. */
export function sliceRecord(log: string, text: string, after: number, through: number): ReadRecord | undefined {
  if (isHomeLog(log)) return sliceWith(homeCodec, text, after, through);
  return log === forestLogName
    ? sliceWith(forestCodec, text, after, through)
    : sliceWith(rootCodec, text, after, through);
}

function readWith<Op extends AnyOp>(codec: ChangeCodec<Op>, text: string): ReadRecord {
  return describe(codec, text, codec.decode(text));
}

function sliceWith<Op extends AnyOp>(
  codec: ChangeCodec<Op>,
  text: string,
  after: number,
  through: number,
): ReadRecord | undefined {
  const all = codec.decode(text);
  const changes = all.filter(({ seq }) => seq > after && seq <= through);
  const [first] = changes;
  if (first === undefined) return undefined;
  if (changes.length === all.length) return describe(codec, text, all);
  return describe(codec, changes.length === 1 ? codec.encode(first) : codec.encodeSegment(changes), changes);
}

function describe<Op extends AnyOp>(codec: ChangeCodec<Op>, text: string, changes: readonly Change<Op>[]): ReadRecord {
  return {
    text,
    changes: changes.map((change) => ({
      seq: change.seq,
      time: change.time,
      ops: change.ops,
      get canonical() {
        return canonicalJson(change);
      },
      encode: () => (changes.length === 1 ? text : codec.encode(change)),
    })),
  };
}

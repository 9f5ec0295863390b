import { z } from 'zod';
import { agentId } from '@loom/blocks';
import { crc32 } from './crc32.ts';
import { StoreError } from './store.ts';

/** One atomic record of a log. */
export interface Change<Op> {
  seq: number;
  /** Milliseconds since 1970. */
  time: number;
  agent: string;
  turn?: string;
  /** Unique per log and agent: a repeat is answered with `result` instead of being done again. */
  request: string;
  result?: unknown;
  ops: Op[];
}

/** Reads and writes the changes of one kind of log. */
export interface ChangeCodec<Op> {
  encode(change: Change<Op>): string;
  /** Throws a `StoreError` (`store-corrupt`) for a text that is damaged or no change. */
  decode(text: string): Change<Op>;
}

/** The text of a change is its CRC-32 in hex, a space, and its JSON: readable with standard tools, and checked when read. */
export function createChangeCodec<Op>(op: z.ZodType<Op>): ChangeCodec<Op> {
  const schema: z.ZodType<Change<Op>> = z.strictObject({
    seq: z.int().positive(),
    time: z.number(),
    agent: agentId,
    turn: z.string().exactOptional(),
    request: z.string(),
    result: z.unknown().exactOptional(),
    ops: z.array(op).min(1),
  });
  return {
    encode: (change) => {
      const json = JSON.stringify(change);
      return `${crc32(json)} ${json}`;
    },
    decode: (text) => {
      const json = text.slice(9);
      if (text[8] !== ' ' || crc32(json) !== text.slice(0, 8)) throw corrupt('its checksum does not match');
      const parsed = schema.safeParse(JSON.parse(json));
      if (!parsed.success) throw corrupt(z.prettifyError(parsed.error));
      return parsed.data;
    },
  };
}

function corrupt(why: string): StoreError {
  return new StoreError(
    'store-corrupt',
    `a change of the log is damaged: ${why}`,
    'Restore the data directory from a backup.',
  );
}

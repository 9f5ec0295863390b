import { createHash } from 'node:crypto';
import { damaged } from './archive-error.ts';
import { cut, parseHeader, parseLine } from './archive-lines.ts';
import type { LogLine } from './archive-line.ts';
import type { ChainPoint } from './log-chain.ts';

/** The end of an archive in one log. */
export interface CursorPoint extends ChainPoint {
  epoch: string;
}

/** The end of an archive in each of its logs. */
export type ArchiveCursor = ReadonlyMap<string, CursorPoint>;

/** Reads the cursor of an archive, for an increment on top of it. Checks that the archive is whole, but not the contents of its records. */
export async function readCursor(lines: AsyncIterable<string>): Promise<ArchiveCursor> {
  const cursor = new Map<string, CursorPoint>();
  const everything = createHash('sha256');
  let number = 0;
  let log: LogLine | undefined;
  for await (const text of lines) {
    number += 1;
    if (number === 1) parseHeader(text);
    // Most lines are records, and need not be understood.
    const line = /^\{"type":"(?:log|log-end|end)"/u.test(text) ? parseLine(text, number) : undefined;
    if (line?.type === 'end') {
      if (line.hash !== everything.digest('hex')) throw damaged('it is not what was written');
      return cursor;
    }
    if (line?.type === 'log') log = line;
    if (line?.type === 'log-end' && log !== undefined) {
      cursor.set(log.name, { epoch: log.epoch, seq: line.seq, hash: line.hash });
    }
    everything.update(text).update('\n');
  }
  throw cut();
}

import { createHash } from 'node:crypto';
import { objectAt, textAt } from '../foreign/fields.ts';
import { readJsonLine } from '../foreign/json-line.ts';
import { firstObjects } from '../foreign/line-reading.ts';
import { baseOf, threadOf } from './session-meta.ts';

// Before forks pointed into the file of the other thread, they began with a copy of its lines, after their own `session_meta`. Copies have other
// times, and most items had no ids: the two files share only the content, in its order.

/** Returns the thread whose lines a fork has copied, by its first line. */
export function copiedThread(beginning: string): string | undefined {
  const [first] = firstObjects(beginning);
  const meta = first?.type === 'session_meta' ? objectAt(first, 'payload') : undefined;
  const thread = textAt(meta, 'forked_from_id');
  if (meta === undefined || thread === undefined || baseOf(meta) !== undefined) return undefined;
  return thread === threadOf(meta) ? undefined : thread;
}

/** Counts the lines that a fork has copied from another file, line by line. */
export class CopiedPrefix {
  readonly #others: string[] = [];
  #own = -1;
  #isOver = false;

  /** The next line of the other file. All of them come first. */
  other(line: string): void {
    this.#others.push(keyOf(line));
  }

  /** The next line of the fork. */
  own(line: string): void {
    if (!this.#isOver && this.#own >= 0 && this.#others[this.#own] !== keyOf(line)) this.#isOver = true;
    if (!this.#isOver) this.#own += 1;
  }

  /** The number of copied lines after its first one. */
  get count(): number {
    return Math.max(0, this.#own);
  }
}

/** Returns a hash of a line's content, without its time. */
function keyOf(line: string): string {
  const read = readJsonLine(line);
  const said = read.kind === 'objects' ? read.objects.map(({ type, payload }) => [type, payload]) : line;
  return createHash('sha256').update(JSON.stringify(said)).digest('base64');
}

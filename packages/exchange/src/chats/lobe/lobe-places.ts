import type { PlainObject } from '@loom/blocks';
import { textIn } from '../../foreign/fields.ts';

/**
 * Returns the parent of each message of a topic, by ids. In LobeChat the results of one answer are siblings: here they stand below each other, and a
 * message that follows any of them stands below the last. A message without a parent follows the one before it in its thread, since older versions
 * kept the parents of answers only; the first of a thread follows the message that the thread began at.
 */
export function placesOf(
  rows: readonly PlainObject[],
  startOf: (thread: string) => string | undefined,
): Map<string, string | undefined> {
  const results = new Results(rows);
  const places = new Map<string, string | undefined>();
  const lastIn = new Map<string, string>();
  for (const row of rows) {
    const [id, thread] = [textIn(row['id']) ?? '', textIn(row['threadId']) ?? ''];
    const above = textIn(row['parentId']) ?? lastIn.get(thread) ?? startOf(thread);
    const before = results.before(id);
    places.set(id, before ?? (above === undefined || results.has(id) ? above : results.lastBeside(above)));
    lastIn.set(thread, id);
  }
  return places;
}

/** The results of each answer in the order in which they came. */
class Results {
  readonly #before = new Map<string, string>();
  readonly #last = new Map<string, string>();
  readonly #answers = new Map<string, string>();

  constructor(rows: readonly PlainObject[]) {
    const seen = new Set<string>();
    for (const row of rows) {
      const [id, answer] = [textIn(row['id']) ?? '', textIn(row['parentId'])];
      if (row['role'] !== 'tool' || answer === undefined) continue;
      this.#answers.set(id, answer);
      const call = JSON.stringify([answer, textIn(row['tool_call_id']) ?? id]);
      // The second result of a call that was run again is a branch.
      if (seen.has(call)) continue;
      seen.add(call);
      const before = this.#last.get(answer);
      if (before !== undefined) this.#before.set(id, before);
      this.#last.set(answer, id);
    }
  }

  has(id: string): boolean {
    return this.#answers.has(id);
  }

  /** The result of the same answer above a result. */
  before(id: string): string | undefined {
    return this.#before.get(id);
  }

  /** Returns the last result of the answer that a message is a result of; other messages are returned unchanged. */
  lastBeside(id: string): string {
    return this.#last.get(this.#answers.get(id) ?? '') ?? id;
  }
}

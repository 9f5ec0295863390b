import { personWords } from '@loom/blocks';
import type { RootSummary } from '../root-head.ts';

/** The most conversations whose first words are remembered. */
const mostKnown = 20_000;

/**
 * Knows the first words of conversations whose heads name text of a program instead, as earlier versions wrote them: such a conversation is
 * read once per process, and its head is written anew with its next change.
 */
export class OlderOpenings {
  readonly #known = new Map<string, { updated: number; opening: string }>();

  /** Returns the entry of a list with a person's first words. `read` reads the conversation. */
  async improve(listed: RootSummary, read: () => Promise<RootSummary | undefined>): Promise<RootSummary> {
    const { id, opening, updated, title } = listed;
    if (title !== undefined || opening === '' || personWords(opening) !== '') return listed;
    const known = this.#known.get(id);
    if (known?.updated === updated) return { ...listed, opening: known.opening };
    const now = (await read())?.opening ?? opening;
    if (this.#known.size < mostKnown) this.#known.set(id, { updated, opening: now });
    return { ...listed, opening: now };
  }
}

import { createHash } from 'node:crypto';
import { isBlank } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';

/**
 * Ids for calls that come without one, as Gemini's do: they are derived from the place in the conversation, so that the same answer, read again,
 * gives the same calls.
 */
export class AnswerIds {
  readonly #taken: Set<string>;
  readonly #place: string;
  #count = 0;

  constructor({ root, node, messages }: ProviderRequest) {
    this.#place = createHash('sha256').update(`${root} ${node}`).digest('hex').slice(0, 16);
    this.#taken = new Set(
      messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []))),
    );
  }

  /** Returns the API's id, unless it is missing or another call has it. */
  next(given: unknown): string {
    const isUsable = typeof given === 'string' && !isBlank(given) && !this.#taken.has(given);
    const id = isUsable ? given : this.#derive();
    this.#taken.add(id);
    return id;
  }

  #derive(): string {
    let id: string;
    do id = `call_${this.#place}_${this.#count++}`;
    while (this.#taken.has(id));
    return id;
  }
}

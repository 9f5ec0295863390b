import type { KeptText, TextKeeper } from '@loom/sync';
import { isObject, parseJson } from '../json.ts';
import type { OutboxStorage } from './outbox-storage.ts';

/** What was typed and not confirmed lies beside the entries of an outbox, under ids of its own. */
const prefix = 'text:';

export function isTextId(id: string): boolean {
  return id.startsWith(prefix);
}

/** Keeps what was typed in a conversation and is not confirmed. What the storage does not take is told; it is in memory all the same. */
export class TextStorage implements TextKeeper {
  readonly #storage: OutboxStorage;
  readonly #onFailure: (error: unknown) => void;

  constructor(storage: OutboxStorage, onFailure: (error: unknown) => void) {
    this.#storage = storage;
    this.#onFailure = onFailure;
  }

  put({ id, ...kept }: KeptText): void {
    this.#try(() => this.#storage.put({ id: `${prefix}${id}`, text: JSON.stringify(kept) }));
  }

  remove(id: string): void {
    this.#try(() => this.#storage.remove(`${prefix}${id}`));
  }

  /** What earlier pages have left in a conversation. What is none of it stays where it is. */
  async load(root: string): Promise<KeptText[]> {
    try {
      const stored = await this.#storage.load();
      return stored.flatMap(({ id, text }) => {
        const kept = isTextId(id) ? { ...asObject(parseJson(text)), id: id.slice(prefix.length) } : undefined;
        return isKeptText(kept) && kept.block.startsWith(`${root}/`) ? [kept] : [];
      });
    } catch (error) {
      this.#onFailure(error);
      return [];
    }
  }

  #try(work: () => void | Promise<void>): void {
    try {
      work()?.catch(this.#onFailure);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

function asObject(value: unknown): object {
  return isObject(value) ? value : {};
}

function isKeptText(value: unknown): value is KeptText {
  if (!isObject(value)) return false;
  const { block, node, epoch, seed, document, edits } = value;
  const isWhole = [block, node, epoch, document].every((text) => typeof text === 'string') && typeof seed === 'number';
  return isWhole && Array.isArray(edits) && edits.length > 0 && edits.every(isEdit);
}

function isEdit(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, client, seed, burst, update } = value;
  return [id, update].every((text) => typeof text === 'string') && [client, seed, burst].every(Number.isSafeInteger);
}

import assert from 'node:assert/strict';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import type { Outcome, Request } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';

/** Writes conversations into a store as people do. */
export class Gardener {
  readonly forest: Forest;
  readonly #store: Store;
  readonly #name: string;
  #last = 0;

  /** `name` keeps apart what several write. */
  constructor(store: Store, name = 'a') {
    const clock = { now: () => 1_700_000_000_000 + this.#last * 1000, after: () => () => undefined };
    const ids = { next: () => `${name}${String((this.#last += 1)).padStart(6, '0')}` };
    this.#store = store;
    this.#name = name;
    this.forest = new Forest({ store, clock, ids });
  }

  request(agent = 'person'): Request {
    this.#last += 1;
    return { agent, id: `${this.#name}-${this.#last}` };
  }

  async plant(): Promise<string> {
    return done(await this.forest.createRoot(this.request(), { systemPrompt: 'Be brief.' })).root;
  }

  /** Adds a message below a node or root, and returns the new node. */
  async say(root: string, parent: string, text: string, agent = 'person'): Promise<string> {
    const message: Message = { role: 'user', content: [{ type: 'text', text }] };
    const { nodes } = done(await this.forest.append(this.request(agent), root, { parent, messages: [message] }));
    return nodes.at(-1) ?? assert.fail('nothing was said');
  }

  /** Shows a picture, which is a blob. */
  async show(root: string, bytes: Uint8Array, parent = root): Promise<string> {
    const blob = await this.#store.putBlob(bytes);
    const message: Message = { role: 'user', content: [{ type: 'image', media_type: 'image/png', blob }] };
    done(await this.forest.append(this.request(), root, { parent, messages: [message] }));
    return blob;
  }

  async addClient(root: string): Promise<number> {
    return done(await this.forest.addClient(this.request(), root)).client;
  }

  /** Folds the records after a seq into one. */
  fold(root: string, after = 0): Promise<void> {
    return this.forest.log(root).compact(after);
  }
}

/** A store with three conversations, folded and not, with pictures and clients. */
export async function growStore(store: Store): Promise<{ gardener: Gardener; roots: string[] }> {
  const gardener = new Gardener(store);
  const roots: string[] = [];
  for (const index of [0, 1, 2]) {
    const root = await gardener.plant();
    let parent = root;
    for (const text of ['one', 'zwei 🌲', 'three\n']) parent = await gardener.say(root, parent, `${text}${index}`);
    if (index < 2) await gardener.show(root, new TextEncoder().encode(`picture ${index}`));
    if (index === 1) await gardener.fold(root);
    await gardener.addClient(root);
    roots.push(root);
  }
  return { gardener, roots };
}

function done<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) assert.fail(JSON.stringify(outcome.refusal));
  return outcome.value;
}

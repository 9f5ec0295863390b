import { createHash } from 'node:crypto';
import { LoomEngine, subtree } from '@loom/kernel';
import { BlockTools, VirtualClock } from '@loom/kernel/testing';
import type { Ids, NodeState, Provider, ProviderEvent, ProviderHost, Request, RootState } from '@loom/kernel';
import type { LogRecord, Store } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import type { MemoryStore } from '@loom/stores/memory';
import { ClientText } from '@loom/blocks/document';
import { editTexts } from '../editing.ts';
import { Replica, Room } from '../index.ts';
import type { LostEdit, PageLimits, ReplicaOptions, RoomOptions } from '../index.ts';
import { defaultPages } from '../room/snapshot.ts';

export function countingIds(prefix: string): Ids {
  let last = 0;
  return { next: () => `${prefix}${String((last += 1)).padStart(6, '0')}` };
}

/** Makes the texts of a replica ones that can be edited. */
export const createTexts = editTexts((client, seed) => new ClientText(client, seed));

/** A model that says a word, or prints something, whenever it is told to. */
class PromptedModel implements Provider {
  readonly id = 'prompted';
  /** The host through which it begins turns without being asked. */
  host: ProviderHost | undefined;
  #words: { key: 'a' | 'c'; text: string }[] = [];
  #isOver = true;
  #wake = (): void => {};

  get isSpeaking(): boolean {
    return !this.#isOver;
  }

  attach(host: ProviderHost): void {
    this.host = host;
  }

  say(text: string): void {
    this.#words.push({ key: 'a', text });
    this.#wake();
  }

  /** Lets a command that it runs print something. */
  print(text: string): void {
    this.#words.push({ key: 'c', text });
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *stream(): AsyncGenerator<ProviderEvent> {
    this.#isOver = false;
    this.#words = [];
    let isPrinting = false;
    const command = { type: 'command' as const, command: 'make' };
    yield { type: 'call-start' };
    yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
    while (!this.#isOver || this.#words.length > 0) {
      const said = this.#words.shift();
      if (said === undefined) await new Promise<void>((resolve) => void (this.#wake = resolve));
      else if (said.key === 'a') yield { type: 'block-delta', key: 'a', field: 'text', text: said.text };
      else {
        if (!isPrinting) yield { type: 'block-start', key: 'c', message: 'm', role: 'assistant', block: command };
        isPrinting = true;
        yield { type: 'block-delta', key: 'c', field: 'stdout', text: said.text };
      }
    }
    yield { type: 'block-end', key: 'a' };
    if (isPrinting) yield { type: 'block-end', key: 'c' };
    yield { type: 'call-end', reason: 'stop' };
  }
}

/** A kernel with one conversation and a room for it, which can be restarted or restored at any moment. */
export class SyncWorld {
  readonly clock = new VirtualClock();
  readonly ids = countingIds('k');
  readonly model = new PromptedModel();
  readonly lost: LostEdit[] = [];
  readonly #limit: number | undefined;
  readonly #pages: PageLimits;
  #store: MemoryStore;
  #epochs = 0;
  engine: LoomEngine;
  tools: BlockTools;
  root = '';
  #room: Room | undefined;
  /** Runs what the room undoes and redoes, while it takes in nothing that is typed. */
  flipping = <T>(flip: () => Promise<T>): Promise<T> => flip();
  #typing: Promise<unknown> = Promise.resolve();

  constructor(limit?: number, pages: PageLimits = defaultPages) {
    this.#limit = limit;
    this.#pages = pages;
    this.#store = this.#newStore();
    ({ engine: this.engine, tools: this.tools } = this.#start(this.#store));
  }

  get room(): Room {
    if (this.#room !== undefined) return this.#room;
    const { root, tools: all } = this;
    const tools: RoomOptions['tools'] = {
      document: (...about) => all.document(...about),
      update: (...about) => this.#alone(() => all.update(...about)),
      setCursor: (...about) => all.setCursor(...about),
      undo: (...about) => this.#alone(() => this.flipping(() => all.undo(...about))),
      redo: (...about) => this.#alone(() => this.flipping(() => all.redo(...about))),
    };
    const pages = this.#pages;
    const limit = this.#limit === undefined ? {} : { limit: this.#limit };
    this.#room = new Room({ root, forest: this.engine.forest, tools, clock: this.clock, pages, ...limit });
    return this.#room;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#typing.then(work);
    this.#typing = done.catch(() => {});
    return done;
  }

  request(agent = 'person'): Request {
    return { agent, id: this.ids.next() };
  }

  /** Begins the conversation; returns its first text block. */
  async begin(text: string): Promise<string> {
    const created = await this.engine.forest.createRoot(this.request());
    if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    this.root = created.value.root;
    return this.say(text, this.root);
  }

  /** Adds a message of a person below a node; returns its block. */
  async say(text: string, parent: string): Promise<string> {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] satisfies [object] }];
    const added = await this.engine.forest.append(this.request(), this.root, { parent, messages });
    if (!added.ok) throw new Error(JSON.stringify(added.refusal));
    const state = await this.state();
    return state.nodes.get(added.value.nodes.at(-1) ?? '')?.blocks[0]?.block_id ?? '';
  }

  state(): Promise<RootState> {
    return this.engine.forest.log(this.root).state();
  }

  async visibleNodes(): Promise<NodeState[]> {
    return subtree(await this.state(), this.root);
  }

  async textOf(block: string): Promise<string | undefined> {
    const found = (await this.state()).block(block);
    return found !== undefined && 'text' in found ? found.text : undefined;
  }

  replica(name: string, options: Partial<ReplicaOptions> = {}): Replica {
    const { root, clock } = this;
    const ids = countingIds(`${name}-`);
    return new Replica({ root, clock, ids, createTexts, onLost: (edit) => void this.lost.push(edit), ...options });
  }

  /** A replica that only reads. */
  reader(name: string): Replica {
    const { root, clock } = this;
    return new Replica({ root, clock, ids: countingIds(`${name}-`), onLost: (edit) => void this.lost.push(edit) });
  }

  /** Another process takes over, with nothing in memory; it may see the store through something else. */
  async restart(seenAs: (store: MemoryStore) => Store = (store) => store): Promise<void> {
    await this.#moveTo(this.#store.share(), seenAs);
  }

  /** The conversation is put back as it was, or as it was some changes ago: a new epoch. */
  async restore(without = 0): Promise<void> {
    const copy = this.#newStore();
    // Client ids go on behind all that were given.
    const client = await this.#store.nextClientId();
    while ((await copy.nextClientId()) < client + 1000);
    for (const log of await this.#store.logs()) {
      const records = (await this.#store.read(log, 0))?.records ?? [];
      await copyRecords(copy, log, log === this.root ? records.slice(0, records.length - without) : records);
    }
    await this.#moveTo(copy);
  }

  /** A second process over the same store, for one edit. */
  async elsewhere<T>(work: (tools: BlockTools) => Promise<T>): Promise<T> {
    const store = this.#store.share();
    const { engine, tools } = this.#start(store);
    try {
      return await work(tools);
    } finally {
      await engine.close();
      await store.close();
    }
  }

  async #moveTo(store: MemoryStore, seenAs: (store: MemoryStore) => Store = (same) => same): Promise<void> {
    this.model.end();
    this.#room?.close();
    this.#room = undefined;
    await this.engine.close();
    this.#store = store;
    ({ engine: this.engine, tools: this.tools } = this.#start(seenAs(store)));
    await this.engine.recover(this.root);
  }

  #newStore(): MemoryStore {
    this.#epochs += 1;
    return createMemoryStore({ now: () => this.clock.now(), randomId: () => `epoch-${this.#epochs}` });
  }

  #start(store: Store): { engine: LoomEngine; tools: BlockTools } {
    const { clock, ids, model } = this;
    const hash = { hex: (text: string): string => createHash('sha256').update(text).digest('hex') };
    const engine = new LoomEngine({
      store,
      clock,
      ids,
      hash,
      providers: [model],
      tools: [],
      holder: `process-${ids.next()}`,
      exclusive: true,
    });
    return { engine, tools: new BlockTools({ forest: engine.forest, ids }) };
  }
}

/** Puts records into an empty log. One that holds several changes takes the place of as many others. */
async function copyRecords(store: MemoryStore, log: string, records: readonly LogRecord[]): Promise<void> {
  const firsts = records.map((_, index) => (records[index - 1]?.seq ?? 0) + 1);
  const singles = records.flatMap(({ seq, text }, index) => {
    const first = firsts[index] ?? seq;
    return Array.from({ length: seq - first + 1 }, (_, offset) => ({ seq: first + offset, text }));
  });
  const result = await store.append(log, { epoch: undefined, expectedSeq: 0, records: singles });
  if (!result.ok) throw new Error(`${log} is there already`);
  for (const [index, record] of records.entries()) {
    const first = firsts[index] ?? record.seq;
    if (first < record.seq) await store.fold(log, { epoch: result.epoch, first, record });
  }
}

/** Lets everything go on that has nothing to wait for. */
export function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

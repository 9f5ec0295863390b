import { LiveThread } from '@loom/exchange/codex';
import type { GrowingWords } from '@loom/exchange/codex';
import { keepPictures } from '@loom/exchange/foreign';
import type { ProviderCall, ProviderEvent } from '@loom/kernel';
import { sourceOfAgent } from './thread-source.ts';
import type { ThreadSource } from './thread-source.ts';

interface Agent {
  readonly live: LiveThread;
  readonly source: ThreadSource;
}

/** A thread of Codex while it speaks, with those of its sub-agents. */
export class HeardThread {
  readonly live = new LiveThread();
  /** The source of the thread's items, once there is one. */
  source: ThreadSource | undefined;
  readonly #agents = new Map<string, Agent>();
  readonly #blobs: ProviderCall['blobs'];
  readonly #fileOf: (thread: string) => Promise<string | undefined>;

  /** `fileOf` returns the session file of a sub-agent. */
  constructor(blobs: ProviderCall['blobs'], fileOf: (thread: string) => Promise<string | undefined>) {
    this.#blobs = blobs;
    this.#fileOf = fileOf;
  }

  /** Reads the session files on. */
  async *sync(): AsyncGenerator<ProviderEvent> {
    const items = await keepPictures((await this.source?.read()) ?? [], this.#blobs);
    for (const event of this.live.take(items)) {
      yield event;
      if (event.type === 'child') await this.#follow(event.child);
    }
    for (const { live, source } of this.#agents.values())
      yield* live.take(await keepPictures(await source.read(), this.#blobs));
  }

  /** Returns the events of a sub-agent's words: they are heard once its conversation has begun. */
  growAgent(thread: string, words: GrowingWords): ProviderEvent[] {
    const agent = this.#agents.get(thread);
    return agent === undefined ? [] : agent.live.grow(words, agent.source.speaking);
  }

  /** Closes what is still open when the turn is over. */
  finish(): ProviderEvent[] {
    return [this.live, ...[...this.#agents.values()].map(({ live }) => live)].flatMap((live) => live.finish());
  }

  async close(): Promise<void> {
    await this.source?.close();
    for (const { source } of this.#agents.values()) await source.close();
  }

  async #follow(thread: string): Promise<void> {
    const path = await this.#fileOf(thread);
    if (path !== undefined) this.#agents.set(thread, { live: new LiveThread(thread), source: sourceOfAgent(path) });
  }
}

import type { FeedEvent } from '@loom/kernel';
import type { ConversationFeed, Loom } from '../runtime/loom.ts';

/** Listens to the agents that a turn has sent out, each named by the root of its conversation. */
export interface ChildListener {
  /** Receives an event of a child conversation. Messages from before the feed began arrive as added nodes. */
  hear(root: string, event: FeedEvent): void;
  /** Called once the child has nothing more to say. */
  end(root: string): void;
}

/** Follows the conversations of agents that a turn has sent out, from their first word to the end of their turns. */
export class ChildFeeds {
  readonly #loom: Loom;
  readonly #listener: ChildListener;
  /** The feeds, by root; one that is about to open is `undefined`. */
  readonly #feeds = new Map<string, ConversationFeed | undefined>();

  constructor(loom: Loom, listener: ChildListener) {
    this.#loom = loom;
    this.#listener = listener;
  }

  get isOpen(): boolean {
    return this.#feeds.size > 0;
  }

  begin(root: string): void {
    this.#feeds.set(root, undefined);
    this.#hear(root).catch(() => this.#end(root));
  }

  async #hear(root: string): Promise<void> {
    const feed = await this.#loom.follow(root, {
      onChange: (what) => {
        const { replica } = feed;
        if (what.type === 'snapshot') {
          for (const node of replica.nodes.values()) this.#listener.hear(root, { type: 'node-added', node });
        }
        if (what.type === 'change') for (const event of what.events) this.#listener.hear(root, event);
        if (replica.status === 'live' && replica.root.turns.length === 0) this.#end(root);
      },
      onFailure: () => this.#end(root),
    });
    // The chat may have been left meanwhile.
    if (!this.#feeds.has(root)) return feed.close();
    this.#feeds.set(root, feed);
    await feed.open();
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed?.close();
    this.#feeds.clear();
  }

  #end(root: string): void {
    const feed = this.#feeds.get(root);
    if (!this.#feeds.delete(root)) return;
    feed?.close();
    this.#listener.end(root);
  }
}

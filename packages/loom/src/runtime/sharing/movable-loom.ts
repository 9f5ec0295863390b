import type { Cursor } from '@loom/kernel';
import type { ConversationFeed, Hearing, Loom } from '../loom.ts';

/** A folder that is worked with, wherever it is by now. */
export interface MovableLoom {
  loom: Loom;
  /** Goes on with the Loom that `move` returns, once nothing is under way here; until then all calls wait. */
  moveTo: (move: () => Promise<Loom>) => Promise<void>;
}

/** Lets commands go on with a folder in another way than they began: followed conversations are followed there. */
export function movable(first: Loom): MovableLoom {
  let now = first;
  let moved = Promise.resolve();
  const underWay = new Set<Promise<unknown>>();
  const feeds = new Set<MovableFeed>();
  const use = async <Result>(work: (loom: Loom) => Promise<Result>): Promise<Result> => {
    await moved;
    const working = work(now);
    underWay.add(working);
    try {
      return await working;
    } finally {
      underWay.delete(working);
    }
  };
  const { dataDir, clock, hash, newId } = first;
  return {
    loom: {
      dataDir,
      clock,
      hash,
      newId,
      get damaged() {
        return now.damaged;
      },
      get lost() {
        return now.lost;
      },
      call: (name, params, agent) => use((loom) => loom.call(name, params, agent)),
      open: (root) => use((loom) => loom.open(root)),
      peek: (root) => use((loom) => loom.peek(root)),
      verify: (root) => use((loom) => loom.verify(root)),
      check: (root) => use((loom) => loom.check(root)),
      putBlob: (bytes) => use((loom) => loom.putBlob(bytes)),
      getBlob: (id) => use((loom) => loom.getBlob(id)),
      follow: (root, hearing) =>
        use(async (loom) => {
          const feed = new MovableFeed(await loom.follow(root, hearing), {
            root,
            hearing,
            onClose: () => feeds.delete(feed),
          });
          feeds.add(feed);
          return feed;
        }),
      turnOver: (turn) => now.turnOver(turn),
      idle: () => now.idle(),
      watch: () => now.watch(),
    },
    moveTo(move) {
      moved = (async () => {
        await Promise.allSettled(underWay);
        for (const feed of feeds) feed.leave();
        now = await move();
        for (const feed of feeds) await feed.enter(now);
      })();
      return moved;
    },
  };
}

interface Followed {
  root: string;
  hearing: Hearing;
  onClose: () => void;
}

class MovableFeed implements ConversationFeed {
  readonly #followed: Followed;
  #feed: ConversationFeed;
  #entered = Promise.resolve();

  constructor(feed: ConversationFeed, followed: Followed) {
    this.#feed = feed;
    this.#followed = followed;
  }

  get replica(): ConversationFeed['replica'] {
    return this.#feed.replica;
  }

  open(): Promise<void> {
    return this.#feed.open();
  }

  async reach(cursor: Cursor | undefined): Promise<void> {
    await this.#entered;
    await this.#feed.reach(cursor);
  }

  close(): void {
    this.#feed.close();
    this.#followed.onClose();
  }

  leave(): void {
    this.#feed.close();
  }

  enter(loom: Loom): Promise<void> {
    const { root, hearing } = this.#followed;
    this.#entered = (async () => {
      this.#feed = await loom.follow(root, hearing);
      await this.#feed.open();
    })();
    return this.#entered;
  }
}

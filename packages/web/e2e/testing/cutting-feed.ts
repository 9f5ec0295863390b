import type { Page } from 'playwright-core';

/** The feed of a page, which is cut now and then. */
export interface CuttingFeed {
  /** The share of frames at which the connection is cut, before they arrive. */
  share: number;
  /** The number of connections cut. */
  readonly cuts: number;
  /** Cuts what is connected, and lets nothing through from now on, as a network that is gone. */
  off: () => Promise<void>;
  on: () => void;
}

/** Puts itself between a page and its server. It takes effect when the page connects next: reload it. */
export async function cuttingFeed(
  page: Page,
  { random = Math.random, share = 0 }: { random?: () => number; share?: number } = {},
): Promise<CuttingFeed> {
  const open = new Set<() => Promise<void>>();
  let cuts = 0;
  let isOff = false;
  const feed = {
    share,
    get cuts() {
      return cuts;
    },
    async off() {
      isOff = true;
      for (const close of open) await close();
    },
    on: () => void (isOff = false),
  };
  await page.routeWebSocket(/.*/u, (socket) => {
    if (isOff) return void socket.close();
    const server = socket.connectToServer();
    const close = async (): Promise<void> => {
      open.delete(close);
      await socket.close();
      await server.close();
    };
    open.add(close);
    const pass = (send: (message: string | Buffer) => void) => (message: string | Buffer) => {
      if (!open.has(close)) return;
      if (random() < feed.share) {
        cuts += 1;
        void close();
      } else {
        send(message);
      }
    };
    socket.onMessage(pass((message) => server.send(message)));
    server.onMessage(pass((message) => socket.send(message)));
    return undefined;
  });
  return feed;
}

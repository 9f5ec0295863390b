import type { Cursor } from '../cursor.ts';
import type { FeedItem } from './log-shape.ts';

/** The part of a log that a feed is made of. */
interface FollowedLog<Event> {
  subscribe(listener: (item: FeedItem<Event>) => void): () => void;
  readonly past: { replay(cursor: Cursor): Promise<FeedItem<Event>[]> };
}

/**
 * Yields the changes that become durable in a log, in order and each once: after a cursor, or from this call on. Changes the
 * reader has not reached wait in memory. Ends with the loop that reads it, or when the signal is given.
 */
export function followLog<Event>(
  log: FollowedLog<Event>,
  { cursor, signal }: { cursor?: Cursor | undefined; signal: AbortSignal },
): AsyncIterable<FeedItem<Event>> {
  const waiting: FeedItem<Event>[] = [];
  let wake = (): void => {};
  const unsubscribe = log.subscribe((item) => {
    waiting.push(item);
    wake();
  });
  const stop = (): void => {
    signal.removeEventListener('abort', stop);
    unsubscribe();
    wake();
  };
  signal.addEventListener('abort', stop);
  return deliver();

  async function* deliver(): AsyncGenerator<FeedItem<Event>, void, void> {
    try {
      let told = cursor?.seq ?? 0;
      for (const item of cursor === undefined ? [] : await log.past.replay(cursor)) {
        if (item.type === 'change') told = item.seq;
        yield item;
      }
      while (!signal.aborted) {
        for (const item of waiting.splice(0)) {
          // Replayed changes were heard as well.
          if (item.type === 'change' && item.seq <= told) continue;
          if (item.type !== 'cursor') told = item.type === 'change' ? item.seq : 0;
          yield item;
        }
        if (waiting.length === 0 && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
    }
  }
}

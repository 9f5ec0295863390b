import type { RootLog } from '../../forest/forest.ts';
import type { FeedEvent } from '../../state/feed.ts';
import type { FeedItem } from '../../log/log-shape.ts';

/**
 * Resolves when the log says that a turn has ended, whichever process runs it, or when one of the signals is given; at once where the log
 * knows no such turn that runs.
 */
export async function untilEnded(log: RootLog, turn: string, ...signals: AbortSignal[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = log.subscribe((item) => {
    if (tellsEnd(item, turn)) resolve();
  });
  const leave = (): void => resolve();
  for (const signal of signals) signal.addEventListener('abort', leave);
  try {
    const { value: known } = await log.read((state) => state.turns.get(turn));
    const isOpen = known !== undefined && known.ended === undefined;
    if (isOpen && signals.every(({ aborted }) => !aborted)) await promise;
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', leave);
    stop();
  }
}

/** Returns true if a turn may have ended: a reader that subscribes anew has to look. */
function tellsEnd(item: FeedItem<FeedEvent>, turn: string): boolean {
  if (item.type === 'resync') return true;
  return item.type === 'change' && item.events.some((event) => event.type === 'turn-ended' && event.turn === turn);
}

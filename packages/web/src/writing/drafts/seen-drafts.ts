import { useSyncExternalStore } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { keptStore } from '../../stores/kept-store.ts';
import type { Store } from '../../stores/store.ts';
import { openDraft } from './drafts.ts';
import type { Draft } from './drafts.ts';

/** The version of each draft that the reader has seen last, by block. */
type SeenDrafts = Readonly<Record<string, number>>;

/** The number of drafts that are remembered, the last ones. */
const most = 300;

const seenDrafts: Store<SeenDrafts> = keptStore<SeenDrafts>(localStorage, 'loom-seen-drafts', {
  read: (value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([, version]) => typeof version === 'number'))
      : undefined,
  otherwise: {},
});

/** Notes that the reader has a draft in front of them, in a version. */
export function noteSeen(block: string, version: number): void {
  seenDrafts.update((seen) => {
    if (seen[block] === version) return seen;
    const { [block]: _before, ...others } = seen;
    return Object.fromEntries([...Object.entries(others).slice(1 - most), [block, version]]);
  });
}

/** Returns true if a draft has changed since its reader had it open, or was begun by someone else and never opened. */
function isUnseen(seen: number | undefined, version: number, isOwn: boolean): boolean {
  return seen === undefined ? !isOwn : version > seen;
}

/** Returns the blocks of closed drafts that have changed since the reader saw them. */
export function useUnseenDrafts(
  conversation: OpenConversation,
  drafts: readonly Draft[],
  reader: string,
): readonly string[] {
  const { watch } = conversation;
  const subscribe = (listener: () => void): (() => void) => {
    const parts = [seenDrafts, openDraft, ...drafts.map(({ block }) => watch.block(block))];
    const stops = parts.map((part) => part.subscribe(listener));
    return () => {
      for (const stop of stops) stop();
    };
  };
  const list = useSyncExternalStore(subscribe, () => {
    const seen = seenDrafts.getSnapshot();
    const unseen = drafts.filter(({ block }) => {
      const { version = 1, agent } = watch.block(block).getSnapshot() ?? {};
      return openDraft.getSnapshot() !== block && isUnseen(seen[block], version, agent === reader);
    });
    return unseen.map(({ block }) => block).join('\n');
  });
  return list === '' ? [] : list.split('\n');
}

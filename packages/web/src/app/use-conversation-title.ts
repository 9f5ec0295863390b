import { useEffect, useSyncExternalStore } from 'react';
import { messageWords, oneLine } from '../conversation/block-words.ts';
import { isOfProgram } from '../conversation/who.ts';
import { useListedRoot } from '../navigator/use-listed-root.ts';
import { useStore } from '../stores/use-store.ts';
import { useConversation } from './loom-context.ts';

/** The number of opening messages to skip: programs begin with a few messages that name no conversation. */
const mostPassedOver = 10;

/** The title of the open conversation, else how it begins; empty until that is known. */
export function useConversationTitle(): string {
  const { root: id, watch } = useConversation();
  const { root } = useStore(watch.whole);
  const listed = useListedRoot(id);
  const isNamed = root.title !== undefined || listed !== undefined;
  const opening = useOpening(isNamed);
  return root.title ?? listed?.title ?? oneLine(listed?.opening ?? opening);
}

/** Returns the opening words of a conversation that is not among those the list has loaded. */
function useOpening(isNamed: boolean): string {
  const conversation = useConversation();
  const path = useStore(conversation.path);
  const [first = ''] = path;
  const watched = conversation.watch.node(first);
  const isLoaded = useStore(watched) !== undefined;
  const isMissing = !isNamed && first !== '' && !isLoaded;
  useEffect(() => {
    // A long conversation is opened at its end.
    if (isMissing) conversation.want(first);
  }, [conversation, isMissing, first]);
  return useSyncExternalStore(watched.subscribe, () => {
    const { nodes } = conversation.replica;
    const loaded = path.slice(0, mostPassedOver).flatMap((node) => nodes.get(node) ?? []);
    const node = loaded.find((one) => !isOfProgram(one)) ?? loaded[0];
    return node === undefined ? '' : messageWords(node);
  });
}

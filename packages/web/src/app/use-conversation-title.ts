import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { personWords } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
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
  const beginning = useMemo(() => (isNamed ? [] : path.slice(0, mostPassedOver)), [isNamed, path]);
  const subscribe = useCallback(
    (changed: () => void) => {
      const stops = beginning.map((id) => conversation.watch.node(id).subscribe(changed));
      return () => {
        for (const stop of stops) stop();
      };
    },
    [conversation, beginning],
  );
  const found = useSyncExternalStore(subscribe, () => openingIn(beginning, conversation.replica.nodes));
  useEffect(() => {
    // A long conversation is opened at its end.
    if (typeof found === 'string') conversation.want(found);
  }, [conversation, found]);
  return typeof found === 'object' ? messageWords(found) : '';
}

/**
 * Returns the message that names a conversation, or the id of one that has to be loaded before that is known: the first, or the first words of a
 * person behind those of a program.
 */
function openingIn(
  beginning: readonly string[],
  nodes: ReadonlyMap<string, NodeState>,
): NodeState | string | undefined {
  for (const [index, id] of beginning.entries()) {
    const node = nodes.get(id);
    if (node === undefined) return id;
    if ((index === 0 || node.role === 'user') && !isPassedOver(node)) return node;
  }
  return nodes.get(beginning[0] ?? '');
}

function isPassedOver(node: NodeState): boolean {
  if (isOfProgram(node)) return true;
  const texts = node.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const isBrought = node.role === 'user' && node.origin !== undefined;
  return isBrought && texts.length === node.blocks.length && texts.every((text) => personWords(text) === '');
}

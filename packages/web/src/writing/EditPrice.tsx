import type { ReactElement } from 'react';
import { countBelow, leavesBelow } from '../conversation/branches.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { useAreFree } from '../models/use-is-free.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useRested } from '../stores/use-rested.ts';
import { useStore } from '../stores/use-store.ts';
import { useWorkHost } from '../work/work-host.ts';
import { inPlaceWords } from './edit-price.ts';

/** The rest in typing after which the price is computed, in milliseconds. */
const rest = 600;

/** Says what changing a text costs the branches that build on it. Nothing is said where none does. */
export function EditPrice({
  conversation,
  block,
}: {
  conversation: OpenConversation;
  block: string;
}): ReactElement | null {
  const { call } = useWorkHost();
  const areFree = useAreFree();
  const shape = useStore(conversation.shape);
  const text = useRested(conversation.watch.text(block), rest);
  const node = conversation.nodeOfBlock(block);
  const isBuiltOn = node !== undefined && countBelow(shape, node) > 1;
  // Keys are saved as they come: a text that is as it was would cost nothing, so the next key is what is asked about.
  const content = isBuiltOn && text !== undefined ? messageWith(conversation, block, `${text}.`) : undefined;
  const key = content === undefined ? undefined : JSON.stringify([node, content]);
  const { value } = useAsked(key, () => call('context.cost', { node: node ?? '', content: content ?? '' }));
  if (value === undefined || node === undefined) return null;
  const { price, about } = inPlaceWords(value, leavesBelow(shape, node), areFree(value.costs.map(({ leaf }) => leaf)));
  return (
    <p className="writing-price" role="status">
      <strong>{price}</strong> {about}
    </p>
  );
}

/** Returns the words of a message with another text for one of its blocks; `undefined` if that is none of its words. */
function messageWith({ replica }: OpenConversation, block: string, text: string): string | undefined {
  const { blocks } = replica.nodeOf(block) ?? { blocks: [] };
  const texts = blocks.flatMap((one) => (one.type === 'text' ? [one.block_id === block ? text : one.text] : []));
  return blocks.some((one) => one.block_id === block && one.type === 'text') ? texts.join('\n\n') : undefined;
}

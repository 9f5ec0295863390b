import type { MessageBlock } from '@loom/blocks';
import type { Loom } from '../app/loom.ts';
import { goToMessage } from '../branching/go-to-message.ts';
import { draftOf, isEmpty } from '../composer/attaching/attachments.ts';
import type { Draft } from '../composer/attaching/attachments.ts';
import { focusComposer } from '../composer/focus.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { isOfPerson } from '../conversation/who.ts';

/**
 * Goes on from a message of the tree. One of a person comes into the field, at the end of the branch before it, so that it can be reworded:
 * the new message stands beside it. The next message follows any other one.
 */
export async function chooseMessage(loom: Loom, conversation: OpenConversation, id: string): Promise<void> {
  const { replica, shape } = conversation;
  const known = replica.outline.get(id);
  if (known === undefined) return;
  // A tree that covers the conversation would hide the choice.
  if (matchMedia('(max-width: 839px)').matches) loom.preferences.hasInspector.set(false);
  if (known.role === 'user') {
    const message = await readMessage(loom, conversation, id);
    if (message.isOfPerson) {
      beginBehind(loom, conversation, known.parent);
      offer(loom, conversation, known.parent, draftOf([message.blocks]));
      focusComposer();
      return;
    }
  }
  const isEnd = (shape.getSnapshot().children.get(id)?.length ?? 0) === 0;
  if (isEnd) goToMessage(loom, conversation, id);
  else beginBehind(loom, conversation, id, conversation.firstBlockOf(id));
}

/** Names a block that is to be looked at, if any. */
function beginBehind({ go }: Loom, { root }: OpenConversation, node: string, block?: string): void {
  const named = block === undefined ? {} : { block };
  go({ name: 'conversation', root, view: 'new', ...(node === root ? {} : { node, ...named }) });
}

/** Puts the words of a message into the field. Never replaces a person's draft unasked. */
function offer({ composer, notices }: Loom, { replica, shape }: OpenConversation, parent: string, words: Draft): void {
  const written = composer.draft.getSnapshot();
  const isCopy = (shape.getSnapshot().children.get(parent) ?? []).some((id) => {
    const node = replica.nodes.get(id);
    return node !== undefined && isSameDraft(draftOf([node.blocks]), written);
  });
  if (isEmpty(written) || isCopy) composer.set(words);
  else if (!isSameDraft(words, written)) {
    notices.tell('What you had begun to write here is kept.', {
      label: 'Use the message instead',
      run: () => composer.set(words),
    });
  }
}

function isSameDraft(one: Draft, other: Draft): boolean {
  const blobs = ({ attachments }: Draft): string => attachments.map(({ id }) => id).join();
  return one.text.trim() === other.text.trim() && blobs(one) === blobs(other);
}

interface ReadMessage {
  readonly blocks: readonly MessageBlock[];
  readonly isOfPerson: boolean;
}

/** A message with its words, which the outline does not have. */
async function readMessage(loom: Loom, { replica }: OpenConversation, id: string): Promise<ReadMessage> {
  const node = replica.nodes.get(id);
  if (node !== undefined) return { blocks: node.blocks, isOfPerson: isOfPerson(node) };
  const { message, metadata } = await loom.ask('node.get', { node: id });
  const { custom_data: data } = metadata;
  const facts = { role: message.role, ...(data === undefined ? {} : { custom_data: data }) };
  return { blocks: message.content, isOfPerson: isOfPerson(facts) };
}

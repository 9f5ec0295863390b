import { editableText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { copyMessage, regenerate, remove } from '../conversation/actions.ts';
import { countBelow } from '../conversation/branches.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import type { CommandName } from '../keys/key-map.ts';
import type { IconName } from '../ui/Icon.tsx';
import { forkAfter, markToCompare, toggleContextStart, toggleExcluded } from './branch-actions.ts';

/** An action on a message: by its key, by its button, and in its menu. */
export interface MessageCommand {
  readonly command: CommandName;
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
  readonly isDangerous?: true;
}

/**
 * Returns true if a text is edited in its place, along with others: one that is being written, or that no later message builds on. A
 * person's message is written anew first, since it may be sent again; so is what others have answered.
 */
function isWrittenTogether({ role }: NodeState, { type, status }: MessageBlock, isLeaf: boolean): boolean {
  return status === 'running' || type !== 'text' || (isLeaf && role !== 'user');
}

/** Returns the commands for a block and its message, in the order in which they are offered. */
export function messageCommands(
  loom: Loom,
  conversation: OpenConversation,
  { node, block }: { node: NodeState; block: MessageBlock | undefined },
): MessageCommand[] {
  const { workspace, attempt } = loom;
  const { id } = node;
  const text = block?.type === 'text' ? block : node.blocks.find(({ type }) => type === 'text');
  const textId = text?.block_id;
  const edited = block !== undefined && editableText(block) !== undefined ? block : text;
  const blockId = block?.block_id;
  const isLeftOut = conversation.notShown.getSnapshot().blocks.has(blockId ?? '');
  const act = (work: () => Promise<void>) => () => attempt(work);
  const commands: (MessageCommand | undefined)[] = [
    edited?.block_id === undefined || node.role === 'tool'
      ? undefined
      : {
          command: 'edit',
          label: 'Edit',
          icon: 'edit',
          run: () =>
            workspace.editing.set({
              node: id,
              block: edited.block_id ?? '',
              isShared: isWrittenTogether(node, edited, countBelow(conversation.shape.getSnapshot(), id) === 1),
            }),
        },
    blockId === undefined
      ? undefined
      : {
          command: 'fork',
          label: 'New branch after this',
          icon: 'fork',
          run: act(() => forkAfter(loom, conversation, blockId)),
        },
    { command: 'regenerate', label: 'Answer again', icon: 'again', run: act(() => regenerate(loom, conversation, id)) },
    {
      command: 'bookmark',
      label: 'Bookmark',
      icon: 'bookmark',
      run: () => workspace.naming.set({ what: 'bookmark', id }),
    },
    { command: 'copy', label: 'Copy', icon: 'copy', run: act(() => copyMessage(node)) },
    blockId === undefined
      ? undefined
      : {
          command: 'exclude',
          label: isLeftOut ? 'Include again' : 'Leave out',
          icon: 'denied',
          run: act(() => toggleExcluded(loom, conversation, blockId)),
        },
    {
      command: 'context-start',
      label: node.context_start === true ? 'Do not start the context here' : 'Start the context here',
      icon: 'contextStart',
      run: act(() => toggleContextStart(loom, conversation, id)),
    },
    { command: 'mark', label: 'Mark to compare', icon: 'compare', run: () => markToCompare(loom, conversation, id) },
    {
      command: 'tree-label',
      label: 'Title and tags',
      icon: 'list',
      run: () => workspace.naming.set({ what: 'message', id }),
    },
    {
      command: 'history',
      label: 'History',
      icon: 'clock',
      run: () => {
        if (blockId !== undefined) loom.current.set(blockId);
        workspace.tab.set('history');
        loom.preferences.hasInspector.set(true);
      },
    },
    textId === undefined
      ? undefined
      : {
          command: 'authorship',
          label: workspace.authorship.getSnapshot() === textId ? 'Do not show who wrote what' : 'Who wrote what',
          icon: 'message',
          run: () => workspace.authorship.update((shown) => (shown === textId ? undefined : textId)),
        },
    {
      command: 'delete',
      label: 'Delete',
      icon: 'trash',
      isDangerous: true,
      run: act(() => remove(loom, conversation, id)),
    },
  ];
  return commands.filter((command) => command !== undefined);
}

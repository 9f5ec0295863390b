import { useEffect } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { Loom } from '../app/loom.ts';
import { redo, undo } from '../branching/branch-actions.ts';
import { messageCommands } from '../branching/message-commands.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import type { CommandName } from '../keys/key-map.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { stepTo } from './steps.ts';

/** Registers the commands of keys in the timeline: they move the current block, and do something with it. */
export function useTimelineCommands(goToTail: () => void): void {
  const loom = useLoom();
  const conversation = useConversation();
  const { current, workspace } = loom;
  const move =
    (step: 1 | -1, onlyPersons = false) =>
    () => {
      const isOfUser = (node: string) => conversation.replica.outline.get(node)?.role === 'user';
      const now = current.getSnapshot();
      const target = stepTo(conversation.rows.getSnapshot(), now, {
        step,
        node: now === undefined ? undefined : conversation.nodeOfBlock(now),
        isStop: ({ kind, node }) => !onlyPersons || (kind !== 'notice' && isOfUser(node)),
        from: blockInSight(step),
      });
      if (target === undefined) return;
      current.set(target.block);
      workspace.reveal.set({ ...target, how: 'nearest', takesFocus: true });
    };
  const act = (command: CommandName) => () => actOnCurrent(loom, conversation, command);
  const sibling = (step: 1 | -1) => () => {
    const node = currentNode(loom, conversation);
    const next = node === undefined ? undefined : siblingNear(conversation, node, step);
    if (next !== undefined) loom.go({ name: 'conversation', root: conversation.root, node: next });
  };
  useBringCommands({
    next: move(1),
    previous: move(-1),
    'next-person': move(1, true),
    'previous-person': move(-1, true),
    'previous-sibling': sibling(-1),
    'next-sibling': sibling(1),
    open: () => openRow(current.getSnapshot()),
    edit: act('edit'),
    fork: act('fork'),
    regenerate: act('regenerate'),
    exclude: act('exclude'),
    'context-start': act('context-start'),
    bookmark: act('bookmark'),
    copy: act('copy'),
    mark: act('mark'),
    history: act('history'),
    authorship: act('authorship'),
    delete: act('delete'),
    latest: goToTail,
    undo: () => loom.attempt(() => undo(loom, conversation)),
    redo: () => loom.attempt(() => redo(loom, conversation)),
    tree: () => loom.go({ name: 'tree', root: conversation.root }),
  });
  useEffect(() => () => workspace.editing.set(undefined), [workspace]);
}

/** The message of the current block, else the last one of the branch. */
function currentNode({ current }: Loom, conversation: OpenConversation): string | undefined {
  const block = current.getSnapshot();
  return (block === undefined ? undefined : conversation.nodeOfBlock(block)) ?? conversation.path.getSnapshot().at(-1);
}

function actOnCurrent(loom: Loom, conversation: OpenConversation, command: CommandName): void {
  const { replica } = conversation;
  const node = replica.nodes.get(currentNode(loom, conversation) ?? '');
  if (node === undefined) return;
  const block = replica.block(loom.current.getSnapshot() ?? '') ?? node.blocks.at(-1);
  messageCommands(loom, conversation, { node, block })
    .find((one) => one.command === command)
    ?.run();
}

/** Returns the sibling of a message or, if it has none, of the nearest message above that has some. */
function siblingNear(conversation: OpenConversation, node: string, step: 1 | -1): string | undefined {
  const { children, nodes } = conversation.shape.getSnapshot();
  for (let at = nodes.get(node); at !== undefined; at = nodes.get(at.parent)) {
    const all = children.get(at.parent) ?? [];
    if (all.length > 1) return all[all.indexOf(at.id) + step];
  }
  return undefined;
}

/** Opens or folds the content of a block, whatever it is. */
function openRow(block: string | undefined): void {
  if (block === undefined) return;
  const row = document.querySelector(`[data-block="${CSS.escape(block)}"]`);
  row?.querySelector<HTMLElement>('summary, [aria-expanded]')?.click();
}

/** The block that can be seen and is nearest to where a step comes from: the first on the way down, the last on the way up. */
function blockInSight(step: 1 | -1): string | undefined {
  const frame = document.querySelector('[role="feed"]')?.getBoundingClientRect();
  if (frame === undefined) return undefined;
  const rows = [...document.querySelectorAll<HTMLElement>('[role="feed"] [data-block]')];
  const isInSight = (row: HTMLElement): boolean => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > frame.top + 24 && top < frame.bottom - 24;
  };
  return (step === 1 ? rows.find(isInSight) : rows.findLast(isInSight))?.dataset['block'];
}

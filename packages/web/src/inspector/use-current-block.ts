import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';

export interface CurrentBlock {
  readonly id: string;
  readonly node: NodeState;
  readonly block: MessageBlock;
}

/** The block that is current, else the last one of the branch; `undefined` while there is none. */
export function useCurrentBlock(): CurrentBlock | undefined {
  const { current } = useLoom();
  const conversation = useConversation();
  const chosen = useStore(current);
  const rows = useStore(conversation.rows);
  const last = rows.findLast((row) => 'block' in row);
  const id = chosen ?? (last !== undefined && 'block' in last ? last.block : '');
  const block = useStore(conversation.watch.block(id));
  const node = useStore(conversation.watch.node(conversation.nodeOfBlock(id) ?? ''));
  return block === undefined || node === undefined ? undefined : { id, node, block };
}

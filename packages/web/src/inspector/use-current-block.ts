import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { isSameButGrown, isSameHead } from '../conversation/message-head.ts';
import type { Row } from '../conversation/rows.ts';
import { usePart } from '../stores/use-part.ts';
import { useStill } from '../stores/use-still.ts';
import { useStore } from '../stores/use-store.ts';

export interface CurrentBlock {
  readonly id: string;
  /** The message as of the last change of its facts; text written into it meanwhile is not in here. */
  readonly node: NodeState;
  readonly block: MessageBlock;
}

/** The block that is current, else the last one of the branch; `undefined` while there is none. */
export function useCurrentBlock(): CurrentBlock | undefined {
  const { current } = useLoom();
  const conversation = useConversation();
  const chosen = useStore(current);
  const last = usePart(conversation.rows, lastBlock);
  const id = chosen ?? last ?? '';
  const block = useStill(conversation.watch.block(id), isSameButGrown);
  const node = useStill(conversation.watch.node(conversation.nodeOfBlock(id) ?? ''), isSameHead);
  return block === undefined || node === undefined ? undefined : { id, node, block };
}

function lastBlock(rows: readonly Row[]): string | undefined {
  const row = rows.findLast((one) => 'block' in one);
  return row !== undefined && 'block' in row ? row.block : undefined;
}

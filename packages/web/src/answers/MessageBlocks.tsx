import type { ReactElement } from 'react';
import { useConversation } from '../app/loom-context.ts';
import { BlockView } from '../blocks/BlockView.tsx';
import { useStore } from '../stores/use-store.ts';

/** The whole content of one message, outside of the timeline. */
export function MessageBlocks({ node: id }: { node: string }): ReactElement | null {
  const { watch } = useConversation();
  const node = useStore(watch.node(id));
  if (node === undefined) return null;
  return (
    <>
      {node.blocks.map(
        ({ block_id: block }) => block !== undefined && <MessageBlock key={block} id={block} node={id} />,
      )}
    </>
  );
}

function MessageBlock({ id, node }: { id: string; node: string }): ReactElement | null {
  const block = useStore(useConversation().watch.block(id));
  return block === undefined ? null : <BlockView block={block} node={node} />;
}

import type { ReactElement } from 'react';
import { useConversation } from '../app/loom-context.ts';
import { BlockView } from '../blocks/BlockView.tsx';
import { FoldLine } from '../blocks/folding/FoldLine.tsx';
import { useFold } from '../blocks/folding/use-fold.ts';
import type { NoticeRow } from '../conversation/rows.ts';
import { nameOf, noticeWords } from '../conversation/who.ts';
import { useStore } from '../stores/use-store.ts';
import { messageTime } from '../words/times.ts';
import { MessageActions } from './MessageActions.tsx';

/** One quiet line for a program's message to the model in its user's name; all of it on demand. */
export function ProgramNotice({ row }: { row: NoticeRow }): ReactElement | null {
  const node = useStore(useConversation().watch.node(row.node));
  const [isOpen, toggle] = useFold(row.key);
  if (node === undefined) return null;
  return (
    <>
      <div className="notice">
        <FoldLine className="notice-line" isOpen={isOpen} onToggle={toggle}>
          <strong>{nameOf(node)}</strong>
          <span className="cut">{noticeWords(node)}</span>
          <time dateTime={new Date(node.time).toISOString()}>{messageTime(node.time, Date.now())}</time>
        </FoldLine>
        <MessageActions node={node} />
      </div>
      {isOpen && (
        <div className="notice-body">
          {node.blocks.map((block) => (
            <BlockView key={block.block_id ?? ''} block={block} node={row.node} />
          ))}
        </div>
      )}
    </>
  );
}

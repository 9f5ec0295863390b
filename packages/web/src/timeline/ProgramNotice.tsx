import type { ReactElement } from 'react';
import { programNoticeKind } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { useConversation } from '../app/loom-context.ts';
import { BlockView } from '../blocks/BlockView.tsx';
import { useFold } from '../blocks/folding/use-fold.ts';
import type { NoticeRow } from '../conversation/rows.ts';
import { noticeWords } from '../conversation/who.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { messageTime } from '../words/times.ts';
import { MessageActions } from './MessageActions.tsx';
import { summaryWords } from './turns/turn-words.ts';

/** One quiet line for what a program said in its user's name; all of it on demand. */
export function ProgramNotice({ row }: { row: NoticeRow }): ReactElement | null {
  const { watch, turns } = useConversation();
  const node = useStore(watch.node(row.node));
  const summary = usePart(turns.items, (items) =>
    items.find((turn) => turn.node === row.node && turn.kind === 'summary'),
  );
  const [isOpen, toggle] = useFold(row.key);
  if (node === undefined) return null;
  const blocks = row.isPart === true ? node.blocks.filter(({ block_id: id }) => id === row.block) : node.blocks;
  const figures = summary && summaryWords(summary);
  const words = noticeWords({ ...node, blocks });
  return (
    <>
      <div className="notice">
        <button type="button" className="notice-line" aria-expanded={isOpen} onClick={toggle}>
          <Icon name={iconOf(node, blocks)} />
          <span className="cut">{figures === undefined ? words : `${words}: ${figures}`}</span>
          <span className="notice-show">{isOpen ? 'Hide' : 'Show'}</span>
        </button>
        <time dateTime={new Date(node.time).toISOString()}>{messageTime(node.time, Date.now())}</time>
        {row.isPart !== true && <MessageActions node={node} />}
      </div>
      {isOpen && (
        <div className="notice-body">
          {blocks.map((block) => (
            <BlockView key={block.block_id ?? ''} block={block} node={row.node} />
          ))}
        </div>
      )}
    </>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  interrupted: 'stop',
  'task-notification': 'clock',
  'context-summary': 'archive',
  'command-name': 'command',
  'command-message': 'command',
  'bash-input': 'command',
  'bash-stdout': 'command',
  'bash-stderr': 'command',
  'local-command-stdout': 'command',
  'local-command-stderr': 'command',
};

function iconOf({ notice }: NodeState, [first]: NodeState['blocks']): IconName {
  const said = first?.type === 'text' ? programNoticeKind(first.text) : undefined;
  return icons[notice?.kind ?? ''] ?? icons[said ?? ''] ?? 'message';
}

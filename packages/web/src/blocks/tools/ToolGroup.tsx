import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useConversation } from '../../app/loom-context.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import type { ToolRow, ToolsRow } from '../../conversation/rows.ts';
import { Icon } from '../../ui/Icon.tsx';
import { duration } from '../../words/times.ts';
import { FoldLine } from '../folding/FoldLine.tsx';
import { useFold } from '../folding/use-fold.ts';
import { ToolCard } from './ToolCard.tsx';
import { groupWords, toolIcon, toolLine } from './tool-kinds.ts';
import { callDuration } from './tool-state.ts';

/** Several calls of one kind in a row as one line; opened, each is a card again. */
export function ToolGroup({ row }: { row: ToolsRow }): ReactElement | null {
  const conversation = useConversation();
  const [isOpen, toggle] = useFold(row.key);
  const { lines, time } = useMemo(() => summarise(row.calls, conversation), [row.calls, conversation]);
  const [first] = row.calls;
  if (first === undefined) return null;
  const about = lines.map(({ argument }) => argument).filter((argument) => argument !== '');
  const words = groupWords(first.tool, lines[0]?.verb ?? first.name, row.calls.length);
  return (
    <div role="group" className="tool-card tool-done" aria-label={words}>
      <FoldLine className="tool-line" isOpen={isOpen} onToggle={toggle}>
        <Icon name={toolIcon(first.tool)} />
        <span className="tool-verb">{words}</span>
        <span className="tool-argument">{about.join(', ')}</span>
        {time > 0 && <span className="tool-facts figures">{duration(time)}</span>}
      </FoldLine>
      {isOpen && (
        <div className="tool-inside">
          {row.calls.map((call) => (
            <ToolCard key={call.key} row={call} />
          ))}
        </div>
      )}
    </div>
  );
}

/** Summarizes calls that ended. They no longer change, so they need not be watched. */
function summarise(calls: readonly ToolRow[], { replica }: OpenConversation) {
  const lines = calls.map(({ name, block }) => {
    const call = replica.block(block);
    return toolLine(name, call?.type === 'tool-use' ? call.parameters : {});
  });
  const times = calls.map(({ result }) => callDuration(replica.nodes.get(result ?? '')) ?? 0);
  return { lines, time: times.reduce((sum, time) => sum + time, 0) };
}

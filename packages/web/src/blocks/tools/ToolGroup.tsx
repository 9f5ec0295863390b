import { useMemo } from 'react';
import type { ReactElement } from 'react';
import type { NodeState } from '@loom/kernel';
import { useConversation } from '../../app/loom-context.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import type { ToolRow, ToolsRow } from '../../conversation/rows.ts';
import { Icon } from '../../ui/Icon.tsx';
import { duration } from '../../words/times.ts';
import { useBlockHost } from '../block-host.ts';
import { FoldLine } from '../folding/FoldLine.tsx';
import { useFold } from '../folding/use-fold.ts';
import { ToolCard } from './ToolCard.tsx';
import { groupLine } from './tool-groups.ts';
import { toolIcon } from './tool-kinds.ts';
import { callDuration } from './tool-state.ts';

/** Several calls of one kind in a row as one line; opened, each is a card again. */
export function ToolGroup({ row }: { row: ToolsRow }): ReactElement | null {
  const conversation = useConversation();
  const [isOpen, toggle] = useFold(row.key);
  const folder = useBlockHost().folder();
  const { words, about, time, isClean } = useMemo(
    () => summarise(row.calls, conversation, folder),
    [row.calls, conversation, folder],
  );
  const [first] = row.calls;
  if (first === undefined) return null;
  return (
    <div role="group" className="tool-card tool-done" aria-label={words}>
      <FoldLine className="tool-line" isOpen={isOpen} onToggle={toggle}>
        <Icon name={toolIcon(first.tool)} />
        <span className="tool-verb">{words}</span>
        <span className="tool-argument">{about}</span>
        <span className="tool-facts figures">
          {isClean && <span>all exit 0</span>}
          {time > 0 && <span>{duration(time)}</span>}
        </span>
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
function summarise(calls: readonly ToolRow[], { replica }: OpenConversation, folder: string | undefined) {
  const made = calls.map(({ name, block }) => {
    const call = replica.block(block);
    return { name, parameters: call?.type === 'tool-use' ? call.parameters : {} };
  });
  const results = calls.map(({ result }) => replica.nodes.get(result ?? ''));
  const time = results.reduce((sum, result) => sum + (callDuration(result) ?? 0), 0);
  return { ...groupLine(made, { folder }), time, isClean: results.every(hasExitedWell) };
}

/** Returns true for a command that is known to have ended with 0. */
function hasExitedWell(result: NodeState | undefined): boolean {
  return result?.blocks.some((block) => block.type === 'command' && block.exit_code === 0) === true;
}

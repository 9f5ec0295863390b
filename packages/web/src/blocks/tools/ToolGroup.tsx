import { useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { useConversation } from '../../app/loom-context.ts';
import type { ToolsRow } from '../../conversation/rows.ts';
import { Icon } from '../../ui/Icon.tsx';
import { duration } from '../../words/times.ts';
import { useBlockHost } from '../block-host.ts';
import { FoldLine } from '../folding/FoldLine.tsx';
import { useFold } from '../folding/use-fold.ts';
import { ToolCard } from './ToolCard.tsx';
import { groupLine } from './tool-groups.ts';
import { toolIcon } from './tool-kinds.ts';
import { callDuration } from './tool-state.ts';

/** A call of a group, and the node of its result. */
export interface GroupedCall {
  readonly call: Pick<ToolUseBlock, 'name' | 'parameters'>;
  readonly result: NodeState | undefined;
}

/** Several calls of one kind of the conversation. They ended and no longer change, so they need not be watched. */
export function ToolGroup({ row }: { row: ToolsRow }): ReactElement | null {
  const { replica } = useConversation();
  const calls = useMemo(
    () =>
      row.calls.map(({ name, block, result }): GroupedCall => {
        const call = replica.block(block);
        const parameters = call?.type === 'tool-use' ? call.parameters : {};
        return { call: { name, parameters }, result: replica.nodes.get(result ?? '') };
      }),
    [row.calls, replica],
  );
  return (
    <ToolGroupView row={row} calls={calls}>
      {() => row.calls.map((call) => <ToolCard key={call.key} row={call} />)}
    </ToolGroupView>
  );
}

interface ToolGroupViewProps {
  row: ToolsRow;
  calls: readonly GroupedCall[];
  /** Draws the cards of the calls, once they are to be seen. */
  children: () => ReactNode;
}

/** Several calls of one kind in a row as one line; opened, each is a card again. */
export function ToolGroupView({ row, calls, children }: ToolGroupViewProps): ReactElement | null {
  const [isOpen, toggle] = useFold(row.key);
  const folder = useBlockHost().folder();
  const { words, about, time, isClean } = useMemo(() => summarise(calls, folder), [calls, folder]);
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
      {isOpen && <div className="tool-inside">{children()}</div>}
    </div>
  );
}

function summarise(calls: readonly GroupedCall[], folder: string | undefined) {
  const time = calls.reduce((sum, { result }) => sum + (callDuration(result) ?? 0), 0);
  const words = groupLine(
    calls.map(({ call }) => call),
    { folder },
  );
  return { ...words, time, isClean: calls.every(({ result }) => hasExitedWell(result)) };
}

/** Returns true for a command that is known to have ended with 0. */
function hasExitedWell(result: NodeState | undefined): boolean {
  return result?.blocks.some((block) => block.type === 'command' && block.exit_code === 0) === true;
}

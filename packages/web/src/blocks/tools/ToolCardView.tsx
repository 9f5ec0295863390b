import { memo } from 'react';
import type { ReactElement } from 'react';
import { isPurged, purgedWords } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { Icon } from '../../ui/Icon.tsx';
import { later } from '../../ui/later.tsx';
import { useLate } from '../../ui/use-late.ts';
import { useBlockHost } from '../block-host.ts';
import { FoldLine } from '../folding/FoldLine.tsx';
import { useFold } from '../folding/use-fold.ts';
import { FilePath } from '../paths/FilePath.tsx';
import { ToolFacts } from './ToolFacts.tsx';
import { argumentWords, toolIcon, toolLine } from './tool-kinds.ts';
import { callState } from './tool-state.ts';
import type { CallState } from './tool-state.ts';

const ToolBody = later(async () => (await import('./ToolBody.tsx')).ToolBody);
const TextCallWords = later(async () => (await import('../../writing/calls/TextCallWords.tsx')).TextCallWords);
const AskCard = later(async () => (await import('../ask/AskCard.tsx')).AskCard);

export interface ToolCardProps {
  call: ToolUseBlock;
  /** The node of its result, if that has come. */
  result: NodeState | undefined;
  /** The turn that it belongs to goes on. */
  isLive: boolean;
  /** True if the call is not sent to models. */
  isLeftOut?: boolean;
}

/** The states that a reader has to see or to answer: their cards are open by default. */
const openStates: readonly CallState[] = ['waiting', 'failed'];

/** A command that runs longer shows its output unasked, in milliseconds. */
const longWhile = 2000;

/** A call of a tool and its result, as one card: one line, and the rest on demand. */
export const ToolCardView = memo(function ToolCardView(props: ToolCardProps): ReactElement {
  const { call, result, isLive, isLeftOut = false } = props;
  const id = call.block_id ?? call.id;
  const state = callState(call, result, isLive);
  const line = toolLine(call.name, call.parameters, call.arguments);
  const { kind, verb, isPath = false } = line;
  const isLong = useLate(state === 'running' && kind === 'command', longWhile);
  const [isOpen, toggle] = useFold(id, openStates.includes(state) || isLong);
  const folder = useBlockHost().folder();
  const argument = isPurged(call) ? purgedWords : argumentWords(line, folder);
  const isDenied = state === 'denied';
  const canOpen = state !== 'writing' && state !== 'queued';
  return (
    <div
      role="group"
      className={`tool-card tool-${state}${isLeftOut ? ' left-out' : ''}`}
      aria-label={`${verb} ${argument}`}
    >
      <FoldLine className="tool-line" isOpen={isOpen} onToggle={canOpen ? toggle : undefined}>
        <Icon name={isDenied ? 'denied' : toolIcon(kind)} />
        <span className="tool-verb">{isDenied ? 'Denied' : verb}</span>
        <span
          className={
            kind === 'agent' || kind === 'question' || kind === 'text' || isPurged(call)
              ? 'tool-argument tool-said'
              : 'tool-argument'
          }
        >
          {kind === 'text' && !isPurged(call) ? (
            <TextCallWords call={call} />
          ) : isPath && !isPurged(call) ? (
            <FilePath path={line.argument} />
          ) : (
            argument
          )}
        </span>
        <ToolFacts call={call} result={result} state={state} isLeftOut={isLeftOut} />
      </FoldLine>
      {isOpen && canOpen && (
        <>
          {result?.ask !== undefined && <AskCard call={call} node={result.id} ask={result.ask} />}
          {state !== 'waiting' && <ToolBody call={call} result={result} state={state} />}
        </>
      )}
    </div>
  );
});

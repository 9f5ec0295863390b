import { useMemo } from 'react';
import type { ReactElement } from 'react';
import type { ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { Elapsed } from '../../ui/Elapsed.tsx';
import { duration } from '../../words/times.ts';
import { LineCounts } from '../changes/LineCounts.tsx';
import { useBlockHost } from '../block-host.ts';
import { lateViews } from './late-views.ts';
import { factOf, failureWords } from './tool-facts.ts';
import { toolKindOf } from './tool-kinds.ts';
import { callDuration } from './tool-state.ts';
import type { CallState } from './tool-state.ts';
import { textOf, typedViews } from './typed-views.ts';

interface ToolFactsProps {
  call: ToolUseBlock;
  result: NodeState | undefined;
  state: CallState;
  isLeftOut: boolean;
}

/** Calls that took no time worth telling do not tell it. */
const leastTime = 50;

/** The right end of a call's line: its state, outcome and duration. */
export function ToolFacts({ call, result, state, isLeftOut }: ToolFactsProps): ReactElement {
  const time = callDuration(result);
  return (
    <span className="tool-facts">
      {call.executed === 'provider' && toolKindOf(call.name) !== 'agent' && (
        <span className="tool-by" title="The model's provider ran it, not Loom">
          by the provider
        </span>
      )}
      {isLeftOut ? <span>left out</span> : <StateWords call={call} result={result} state={state} />}
      {state === 'running' && <Elapsed since={result?.started_at} />}
      {state !== 'running' && time !== undefined && time >= leastTime && (
        <span className="figures">{duration(time)}</span>
      )}
    </span>
  );
}

function StateWords({ call, result, state }: Omit<ToolFactsProps, 'isLeftOut'>): ReactElement | null {
  switch (state) {
    case 'writing':
      return <span className="tool-word-running">writing</span>;
    case 'queued':
      return <span>next</span>;
    case 'running':
      return <span className="tool-word-running">running</span>;
    case 'waiting':
      return <span className="tool-word-waiting">waits for you</span>;
    case 'interrupted':
      return isStopped(result) ? <span>stopped</span> : <span className="tool-word-bad">interrupted</span>;
    case 'denied':
      return result?.decided === undefined ? null : <Decider by={result.decided.by} />;
    case 'not-run':
      return <span>not run</span>;
    case 'done':
    case 'failed':
      return <Fact call={call} result={result} isFailed={state === 'failed'} />;
  }
}

/** Returns true if a person has stopped the turn of a call. */
function isStopped(result: NodeState | undefined): boolean {
  return result?.blocks.some(({ error }) => error?.code === 'stopped') === true;
}

function Decider({ by }: { by: string }): ReactElement {
  const { agent } = useBlockHost();
  return <span>by {by === agent ? 'you' : by}</span>;
}

interface FactProps extends Pick<ToolFactsProps, 'call' | 'result'> {
  isFailed: boolean;
}

function Fact({ call, result, isFailed }: FactProps): ReactElement | null {
  const viewsOf = lateViews.use();
  const fact = useMemo(
    () => (result === undefined ? undefined : factOf(viewsOf?.(call, result) ?? typedViews(result))),
    [call, result, viewsOf],
  );
  if (fact?.kind === 'lines') return <LineCounts added={fact.added} deleted={fact.deleted} />;
  if (fact !== undefined) return <span className={fact.isBad ? 'tool-word-bad' : 'figures'}>{fact.text}</span>;
  // Until its words can be read, why it failed is not known.
  if (!isFailed || result === undefined || viewsOf === undefined) return null;
  return <span className="tool-word-bad">{failureWords(textOf(result))}</span>;
}

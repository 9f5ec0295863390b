import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { deniedText } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { Elapsed } from '../../ui/Elapsed.tsx';
import { runningTime } from '../../words/times.ts';
import { exactArguments } from '../ask/ask-words.ts';
import { DecidedNote } from '../ask/DecidedNote.tsx';
import { useBlockHost } from '../block-host.ts';
import { Command } from '../Command.tsx';
import { Output } from '../Output.tsx';
import { ResultBlock } from './ResultBlock.tsx';
import { toolKindOf } from './tool-kinds.ts';
import type { CallState } from './tool-state.ts';
import { viewsOf } from './tool-views.ts';
import { textOf } from './typed-views.ts';

interface ToolBodyProps {
  call: ToolUseBlock;
  result: NodeState | undefined;
  state: CallState;
}

/** The work of a call, opened. */
export function ToolBody({ call, result, state }: ToolBodyProps): ReactElement {
  const host = useBlockHost();
  const id = call.block_id ?? call.id;
  const views = useMemo(() => viewsOf(call, result), [call, result]);
  const note = noteOf(state, result);
  const hasInput = toolKindOf(call.name) === 'other' || (views.length === 0 && note === undefined);
  const onRunAgain =
    (state === 'done' || state === 'failed') && host.canRunAgain(call.name)
      ? () => host.runAgain(call.name, exactArguments(call))
      : undefined;
  const limit = state === 'running' ? timeLimitOf(call) : undefined;
  return (
    <>
      {result?.decided !== undefined && <DecidedNote decided={result.decided} />}
      {hasInput && <Input id={id} call={call} />}
      {note !== undefined && <p className="tool-body tool-note">{note}</p>}
      {state !== 'denied' &&
        views.map((view, index) =>
          view.type === 'command' ? (
            <Command
              key={index}
              id={`${id} ${index}`}
              block={view}
              isGrowing={state === 'running'}
              onRunAgain={onRunAgain}
            />
          ) : (
            <ResultBlock key={index} id={`${id} ${index}`} block={view} isError={state === 'failed'} />
          ),
        )}
      {limit !== undefined && (
        <div className="tool-foot tool-running-foot">
          running, <Elapsed since={result?.started_at} /> of at most {runningTime(limit)}
        </div>
      )}
    </>
  );
}

/** The time that a command of Loom may take, in milliseconds; those of other programs are not known. */
function timeLimitOf({ name, executed, parameters }: ToolUseBlock): number | undefined {
  if (name !== 'shell' || executed === 'provider' || parameters['background'] === true) return undefined;
  const { timeout_ms: given } = parameters;
  return typeof given === 'number' ? given : 120_000;
}

/** The arguments as they were given. */
function Input({ id, call }: { id: string; call: ToolUseBlock }): ReactElement | null {
  const isMalformed = Object.keys(call.parameters).length === 0 && call.arguments !== undefined;
  const text = isMalformed ? (call.arguments ?? '') : JSON.stringify(call.parameters, null, 2);
  return text === '{}' ? null : <Output id={`${id} input`} parts={[{ text, isError: false }]} label="Input" />;
}

function noteOf(state: CallState, result: NodeState | undefined): string | undefined {
  switch (state) {
    case 'interrupted':
      return 'It may have started before it was interrupted, so Loom does not start it again on its own. The model is told the same.';
    case 'not-run':
      return 'It was never started: the turn ended before.';
    case 'denied': {
      const reason = result === undefined ? '' : textOf(result);
      return reason === '' || reason === deniedText
        ? 'The model was told that it was denied.'
        : `The model was told: “${reason}”`;
    }
    default:
      return undefined;
  }
}

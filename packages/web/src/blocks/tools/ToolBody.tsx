import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { deniedText } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { Elapsed } from '../../ui/Elapsed.tsx';
import { runningTime } from '../../words/times.ts';
import { exactArguments } from '../ask/ask-words.ts';
import { DecidedNote } from '../ask/DecidedNote.tsx';
import { useDeciders } from '../ask/deciders.ts';
import { useBlockHost } from '../block-host.ts';
import { Command } from '../Command.tsx';
import type { AgainOffer } from '../Command.tsx';
import { Output } from '../Output.tsx';
import { childOf, reportOf } from '../child/agent-report.ts';
import { AgentReport } from '../child/AgentReport.tsx';
import { ResultBlock } from './ResultBlock.tsx';
import { toolKindOf } from './tool-kinds.ts';
import type { CallState } from './tool-state.ts';
import { viewsOf } from './tool-views.ts';
import { textOf } from './typed-views.ts';
import { TextCallBody } from '../../writing/calls/TextCallBody.tsx';

/** The tools of Loom that change a text, or begin one. */
const textWriters = new Set(['draft_create', 'block_edit', 'block_apply_patch', 'block_undo']);

interface ToolBodyProps {
  call: ToolUseBlock;
  result: NodeState | undefined;
  state: CallState;
}

/** The work of a call, opened. */
export function ToolBody({ call, result, state }: ToolBodyProps): ReactElement {
  const id = call.block_id ?? call.id;
  const views = useMemo(() => viewsOf(call, result), [call, result]);
  const note = noteOf(state, result);
  const report = toolKindOf(call.name) === 'agent' && state === 'done' ? reportOf(result) : undefined;
  const isWritten = state === 'done' && result !== undefined && textWriters.has(call.name);
  const hasInput =
    (!isWritten && ['other', 'text'].includes(toolKindOf(call.name))) || (views.length === 0 && note === undefined);
  const again = useAgain(call, result, state);
  const said = state === 'running' || result === undefined || !isOwnShell(call) ? undefined : shellNote(textOf(result));
  const limit = state === 'running' ? timeLimitOf(call) : undefined;
  return (
    <>
      {result?.decided !== undefined && <DecidedNote decided={result.decided} />}
      {hasInput && <Input id={id} call={call} />}
      {note !== undefined && <p className="tool-body tool-note">{note}</p>}
      {report !== undefined && <AgentReport text={report} child={childOf(result)} />}
      {isWritten && <TextCallBody call={call} said={textOf(result)} />}
      {state !== 'denied' &&
        !isWritten &&
        report === undefined &&
        views.map((view, index) =>
          view.type === 'command' ? (
            <Command key={index} id={`${id} ${index}`} block={view} isGrowing={state === 'running'} again={again} />
          ) : (
            <ResultBlock key={index} id={`${id} ${index}`} block={view} isError={state === 'failed'} />
          ),
        )}
      {said !== undefined && <p className="tool-body tool-note">{said}</p>}
      {limit !== undefined && (
        <div className="tool-foot tool-running-foot">
          <span className="grow">
            running, <Elapsed since={result?.started_at} /> of at most {runningTime(limit)}
          </span>
          {result !== undefined && <RunningActions node={result.id} />}
        </div>
      )}
    </>
  );
}

/** Returns the offer to run the command of a card again, if there is one that the reader may run. */
function useAgain(call: ToolUseBlock, result: NodeState | undefined, state: CallState): AgainOffer | undefined {
  const host = useBlockHost();
  const { isKnown, approve } = useDeciders();
  if (state !== 'done' && state !== 'failed' && state !== 'interrupted') return undefined;
  if (host.canRunAgain(call.name)) {
    const run = (): void => host.runAgain(call.name, exactArguments(call));
    return { run, note: 'The result is added to the end of this branch.' };
  }
  const shown = result?.blocks.find(({ type }) => type === 'command');
  if (!isOwnShell(call) || result === undefined || shown?.type !== 'command' || !isKnown || !approve) return undefined;
  return {
    run: () => host.commands.runAgain(result.id, shown.command),
    note: 'It runs as before, in the same folder and the same sandbox. The new result stands on a separate branch below this one.',
  };
}

/** The ways to end the wait for a command that runs: the turn goes on. */
function RunningActions({ node }: { node: string }): ReactElement | null {
  const { commands } = useBlockHost();
  const { isKnown, approve, deny } = useDeciders();
  if (!isKnown || !deny) return null;
  return (
    <>
      {approve && (
        <button type="button" className="text-button" onClick={() => commands.moveToBackground(node)}>
          Move to background
        </button>
      )}
      <button type="button" className="text-button" onClick={() => commands.stop(node)}>
        Stop this command
      </button>
    </>
  );
}

/** The sentence that Loom's shell says beside a command's output: behind the output in brackets, or alone. */
function shellNote(text: string): string | undefined {
  const found = /(?:^|\n)\[([^\n]*)\]$/u.exec(text)?.[1] ?? text;
  return found === '' ? undefined : `${found.charAt(0).toUpperCase()}${found.slice(1).replace(/\.$/u, '')}.`;
}

/** Returns true for a call of Loom's own shell, by any of its names. */
function isOwnShell({ name, executed }: ToolUseBlock): boolean {
  return (name === 'shell' || name === 'execute_shell') && executed !== 'provider';
}

/** The time that a command of Loom may take, in milliseconds; those of other programs are not known. */
function timeLimitOf(call: ToolUseBlock): number | undefined {
  const { parameters } = call;
  if (!isOwnShell(call) || parameters['background'] === true) return undefined;
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

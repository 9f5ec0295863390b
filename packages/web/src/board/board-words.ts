import { calledTool } from '../tray/called-tool.ts';
import type { WaitingCall } from '../tray/waiting-calls.ts';
import { askTitle } from '../blocks/ask/ask-words.ts';
import { argumentWords, toolLine } from '../blocks/tools/tool-kinds.ts';
import type { ToolKind } from '../blocks/tools/tool-kinds.ts';
import { providerName } from '../models/model-words.ts';
import { sourceName } from '../conversation/who.ts';
import { count } from '../words/amounts.ts';
import { duration } from '../words/times.ts';
import type { BoardRow } from './board.ts';

/** The last line of a row: words, and the part of a command or path that is set as code. */
export interface BoardLine {
  readonly words: string;
  readonly code?: string;
}

/** Words what a turn waits for, does, or came to. */
export function lineOf(row: BoardRow, calls: readonly WaitingCall[]): BoardLine {
  if (row.state === 'waiting') return waitingLine(row, calls);
  if (row.retrying !== undefined) {
    const { attempt, delay_ms: delay, reason } = row.retrying;
    return { words: `Waits for the provider: ${duration(delay)}, try ${attempt + 1} · ${reason}` };
  }
  if (row.state === 'stopped') return { words: 'You stopped it. What was written is kept.' };
  if (row.state === 'failed' && row.error !== undefined) return { words: row.error.message };
  return saidLine(row);
}

function waitingLine(row: BoardRow, calls: readonly WaitingCall[]): BoardLine {
  const waiting = calls.filter(({ node }) => row.waits?.includes(node));
  const [call] = waiting;
  const more = (row.waits?.length ?? 1) > 1 ? ` · ${(row.waits?.length ?? 1) - 1} more` : '';
  if (call === undefined) return saidLine(row);
  if (call.tool === 'spending-limit' && row.error !== undefined) return { words: row.error.message };
  const { ask } = call;
  const title = askTitle(calledTool(call), ask);
  if (ask.kind === 'question') {
    const [first] = ask.questions ?? [];
    const isOne = (ask.questions?.length ?? 1) === 1;
    return { words: `${isOne ? `Asks: ${title}` : `${title}: ${first?.text ?? ''}`}${more}` };
  }
  if (ask.modes !== undefined) return { words: `Proposes a plan${more}` };
  const { kind, verb, argument } = toolLine(call.tool, calledTool(call).parameters);
  return { words: wishes[kind] ?? `Wants to use ${verb}`, code: `${argument}${more}` };
}

const wishes: { readonly [Kind in ToolKind]?: string } = {
  command: 'Wants to run',
  change: 'Wants to change',
  read: 'Wants to read',
  web: 'Wants to open',
};

function saidLine({ last, state, directory }: BoardRow): BoardLine {
  if (last.tool !== undefined) {
    const line = toolLine(last.tool, last.parameters ?? {});
    return { words: line.verb, code: argumentWords(line, directory) };
  }
  return { words: last.text ?? (state === 'running' ? 'Begins' : 'Said nothing') };
}

/** Words the rest of a row: sub-agents at work, and that its agent began it. */
export function detailsOf({ agents, started_by: startedBy, followed }: BoardRow): string {
  const parts = [
    ...(agents === undefined ? [] : [count(agents, 'sub-agent')]),
    ...(startedBy === undefined ? [] : ['started by the agent']),
    ...(followed === undefined ? [] : ['in its own program']),
  ];
  return parts.join(' · ');
}

/** The agent or model that speaks: `Claude Code · opus`, `gpt-5.5`. */
export function speakerOf({ provider, model, followed }: BoardRow): string {
  if (followed === true) return [sourceName(provider), model].filter(Boolean).join(' · ');
  const name = providerName(provider);
  return model === 'default' || model === '' || model === provider ? name : `${name} · ${model}`;
}

/** The words of the button that unfolds the decision. */
export function decideWords(row: BoardRow, calls: readonly WaitingCall[]): string {
  const ask = calls.find(({ node }) => row.waits?.includes(node))?.ask;
  if (ask?.kind === 'question') return 'Answer…';
  return ask?.modes === undefined ? 'Decide…' : 'Read plan…';
}

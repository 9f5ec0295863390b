import { z } from 'zod';
import { isBlank, isPlainObject, plainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject, ToolUseBlock } from '@loom/blocks';
import type { RootSummary } from '../../forest/root-head.ts';
import { once } from '../../once.ts';
import { readRootSettings } from '../../root-settings.ts';
import { limitQuestions } from '../../state/limit-questions.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState, TurnState } from '../../state/root-state.ts';
import { recentLeaves, subtree } from '../../state/tree/queries.ts';
import { callOf } from '../../turn/turn-decisions.ts';
import { aboutRoot, rootWords } from './root-words.ts';

/** One turn on the board: of a model or an agent in Loom, or of an agent elsewhere whose session is followed. */
export const boardRow = once(() =>
  z.strictObject({
    ...rootWords,
    id: z.string().describe('The turn, or the conversation where no turn of Loom wrote it.'),
    turn: z.string().exactOptional().describe('The turn to pass to turn.abort; absent for a session that is followed.'),
    node: z.string().describe('The last message of the turn so far.'),
    provider: z.string().describe('The provider, or the program that the session belongs to.'),
    model: z.string(),
    state: z
      .enum(['waiting', 'running', 'done', 'stopped', 'failed'])
      .describe(
        'waiting: a call, or a turn at a spending limit, waits for a person. stopped: a person or a caller has stopped it.',
      ),
    waits: z.array(z.string()).exactOptional().describe('The nodes of the calls that wait, from turn.waiting.'),
    ended: z.string().exactOptional().describe('How it ended, as turn.wait says.'),
    error: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
    retrying: z.strictObject({ attempt: z.int(), delay_ms: z.number(), reason: z.string() }).exactOptional(),
    started_by: z.literal('agent').exactOptional().describe('Its agent began it without being asked.'),
    followed: z.literal(true).exactOptional().describe('It runs in another program; Loom reads its session.'),
    directory: z.string().exactOptional().describe('The working folder of the conversation.'),
    question: z
      .string()
      .exactOptional()
      .describe('The question that was asked of several with question.ask: their conversations have the same one.'),
    started_at: z.string().describe('A time, as ISO 8601 in UTC.'),
    changed_at: z.string().describe('When it last waited, said or did something, or ended.'),
    cost_usd: z.number().exactOptional().describe('The cost of its calls, as far as it was reported.'),
    last: z
      .strictObject({
        text: z.string().exactOptional().describe('The last line that it said.'),
        tool: z.string().exactOptional().describe('The tool that it called last.'),
        parameters: plainObject.exactOptional().describe('The parameters of that call; long texts are cut.'),
      })
      .describe('What it said or did last.'),
    agents: z.int().exactOptional().describe('The number of sub-agents that are at work.'),
    files: z
      .strictObject({ count: z.int(), added: z.int(), removed: z.int() })
      .exactOptional()
      .describe('The files that it has changed, and the lines, as far as its tools say.'),
  }),
);
export type BoardRow = z.infer<ReturnType<typeof boardRow>>;

/** The time that a session elsewhere may be silent in the middle of a turn before it is taken for ended, in milliseconds. */
export const longestSilence = 10 * 60_000;

/**
 * Returns the turns of a conversation that are at work, or else the one that ended last, if that was at or after `since`; and a turn that another
 * program runs in it.
 */
export function boardRows(state: RootState, summary: RootSummary, since: number, now: number): BoardRow[] {
  const turns = [...state.turns.values()];
  const live = turns.filter(({ id }) => state.liveTurns.has(id)).map((turn) => rowOf(state, summary, turn));
  if (live.length > 0) return live;
  const last = turns.reduce<TurnState | undefined>(
    (newest, turn) => ((turn.ended?.seq ?? 0) >= (newest?.ended?.seq ?? 0) ? turn : newest),
    undefined,
  );
  const followed = followedRow(state, summary, now);
  const own = last === undefined ? undefined : rowOf(state, summary, last);
  const newest = [own, followed].filter((row) => row !== undefined).sort((one, other) => timeOf(other) - timeOf(one));
  return newest.slice(0, 1).filter((row) => isLive(row) || timeOf(row) >= since);
}

/** Returns true if a row is at work or waits for a person. */
function isLive({ state }: BoardRow): boolean {
  return state === 'waiting' || state === 'running';
}

/** Compares rows as the board shows them: those that wait for a person and those at work, oldest first, then the others, newest first. */
export function boardOrder(one: BoardRow, other: BoardRow): number {
  const [left, right] = [placeOf(one), placeOf(other)];
  const [earlier, later] = [timeOf(one), timeOf(other)];
  const byTime = left === 2 ? later - earlier : earlier - later;
  return left - right || byTime || (one.id < other.id ? -1 : 1);
}

function placeOf({ state }: BoardRow): number {
  return state === 'waiting' ? 0 : state === 'running' ? 1 : 2;
}

/** The time that a row is sorted by: since when it waits or runs, or when it ended. */
function timeOf(row: BoardRow): number {
  return Date.parse(row.state === 'running' ? row.started_at : row.changed_at);
}

function rowOf(state: RootState, summary: RootSummary, turn: TurnState): BoardRow {
  const { id, provider, model, startedBy, retrying, ended, answer } = turn;
  const nodes = answer === undefined ? [] : subtree(state, answer).filter((node) => node.turn === id);
  const waits = ended === undefined ? waitsOf(state, id) : limitsOf(state, id);
  const begun = nodes[0]?.time ?? state.nodes.get(turn.node)?.time ?? state.updated;
  const changed = waits[0]?.time ?? ended?.time ?? nodes.at(-1)?.time ?? begun;
  const cost = costOf(nodes);
  const files = filesOf(nodes);
  const agents = nodes.filter(isAtWorkElsewhere).length;
  return {
    ...aboutRoot(summary),
    id,
    turn: id,
    node: nodes.at(-1)?.id ?? turn.node,
    provider,
    model,
    state: stateOf(ended?.reason, waits.length > 0),
    ...(waits.length === 0 ? {} : { waits: waits.map((node) => node.id) }),
    ...(ended === undefined ? {} : { ended: ended.reason }),
    ...(ended?.error === undefined ? {} : { error: { ...ended.error } }),
    ...(retrying === undefined ? {} : { retrying: { ...retrying } }),
    ...(startedBy === undefined ? {} : { started_by: startedBy }),
    ...placeIn(state),
    started_at: iso(begun),
    changed_at: iso(changed),
    ...(cost === undefined ? {} : { cost_usd: cost }),
    last: lastOf(state, nodes, waits[0]),
    ...(agents === 0 || ended !== undefined ? {} : { agents }),
    ...(files === undefined ? {} : { files }),
  };
}

/** Returns the turn that another program runs, or has run last, at the end of a session that Loom reads. */
function followedRow(state: RootState, summary: RootSummary, now: number): BoardRow | undefined {
  const { origin } = readRootSettings(state.config);
  const [leaf] = recentLeaves(state, 1);
  if (origin === undefined || origin.source === 'loom' || leaf?.origin === undefined || leaf.turn !== undefined)
    return undefined;
  const path = state.pathTo(leaf.id);
  const asked = path.findLastIndex((node) => node.role === 'user');
  const nodes = path.slice(Math.max(0, asked));
  const isOpen = leaf.role !== 'assistant' || leaf.blocks.some(({ type }) => type === 'tool-use');
  const source = nodes.findLast((node) => node.source.type === 'model')?.source;
  const cost = costOf(nodes);
  const files = filesOf(nodes);
  return {
    ...aboutRoot(summary),
    id: state.id,
    node: leaf.id,
    provider: origin.source,
    model: source?.type === 'model' ? source.model_name : '',
    state: isOpen && now - leaf.time < longestSilence ? 'running' : 'done',
    followed: true,
    ...placeIn(state),
    started_at: iso(nodes[0]?.time ?? leaf.time),
    changed_at: iso(leaf.time),
    ...(cost === undefined ? {} : { cost_usd: cost }),
    last: lastOf(state, nodes, undefined),
    ...(files === undefined ? {} : { files }),
  };
}

function stateOf(ended: string | undefined, waits: boolean): BoardRow['state'] {
  if (waits) return 'waiting';
  if (ended === undefined) return 'running';
  if (ended === 'done') return 'done';
  return ended === 'aborted' ? 'stopped' : 'failed';
}

/** The calls of a turn that wait for a person, the one that waits longest first. */
function waitsOf(state: RootState, turn: string): NodeState[] {
  return [...state.index.waitingCalls]
    .flatMap((id) => state.nodes.get(id) ?? [])
    .filter((node) => node.turn === turn && node.ask !== undefined)
    .sort((one, other) => one.time - other.time || (one.id < other.id ? -1 : 1));
}

/** The spending limit that an ended turn waits at: a person lets it go on, or leaves it. */
function limitsOf(state: RootState, turn: string): NodeState[] {
  return limitQuestions(state).flatMap(({ turn: { id }, node }) => (id === turn ? [node] : []));
}

/** Returns true for the node of a call whose work is another agent's, as long as it works. */
function isAtWorkElsewhere({ tool, blocks }: NodeState): boolean {
  return tool === 'running' && blocks.some(({ type }) => type === 'conversation');
}

function placeIn({ config }: RootState): { directory?: string; question?: string } {
  const { directory } = readRootSettings(config);
  const question = questionOf(config);
  return {
    ...(directory === undefined || directory === '' ? {} : { directory }),
    ...(question === undefined ? {} : { question }),
  };
}

/** Returns the name of the question that a conversation shares with others. */
export function questionOf(config: RootState['config']): string | undefined {
  const { question } = config;
  return typeof question === 'string' ? question : undefined;
}

function costOf(nodes: readonly NodeState[]): number | undefined {
  const costs = nodes.flatMap(({ source }) =>
    source.type === 'model' && source.usage?.cost_usd !== undefined ? [source.usage.cost_usd] : [],
  );
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}

function filesOf(nodes: readonly NodeState[]): BoardRow['files'] {
  const paths = new Set<string>();
  let [added, removed] = [0, 0];
  for (const block of nodes.flatMap(({ blocks }) => blocks)) {
    if (block.type !== 'file-change') continue;
    for (const { path, diff = '' } of block.changes) {
      paths.add(path);
      added += diff.match(/^\+(?!\+\+ )/gmu)?.length ?? 0;
      removed += diff.match(/^-(?!-- )/gmu)?.length ?? 0;
    }
  }
  return paths.size === 0 ? undefined : { count: paths.size, added, removed };
}

/** Returns the call that waits, or what was said or called last. */
function lastOf(state: RootState, nodes: readonly NodeState[], waits: NodeState | undefined): BoardRow['last'] {
  const waiting = waits && callOf(state, waits);
  if (waiting !== undefined) return wordCall(waiting);
  for (const { blocks } of nodes.toReversed()) {
    for (const block of blocks.toReversed()) {
      const said = wordsOf(block);
      if (said !== undefined) return said;
    }
  }
  return {};
}

function wordsOf(block: MessageBlock): BoardRow['last'] | undefined {
  if (block.type === 'tool-use') return wordCall(block);
  if (block.type !== 'text' || isBlank(block.text)) return undefined;
  return { text: cut(lastLine(block.text.slice(-longestTail))) };
}

function wordCall({ name, parameters }: ToolUseBlock): BoardRow['last'] {
  return { tool: name, parameters: cutValues(parameters) };
}

/** Parameters may hold a whole file. */
function cutValues(parameters: unknown): PlainObject {
  const entries = isPlainObject(parameters) ? Object.entries(parameters) : [];
  return Object.fromEntries(
    entries.slice(0, mostParameters).flatMap(([key, value]): [string, unknown][] => {
      if (typeof value === 'string') return [[key, cut(value)]];
      const isShort = typeof value !== 'object' || JSON.stringify(value).length <= longestText;
      return isShort ? [[key, value]] : [];
    }),
  );
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`;
}

const longestText = 300;
const longestTail = 2_000;
const mostParameters = 20;

function iso(time: number): string {
  return new Date(time).toISOString();
}

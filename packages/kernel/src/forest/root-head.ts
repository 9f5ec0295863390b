import { z } from 'zod';
import { isPurged, programNotice, purgedWords, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../state/node-state.ts';
import { rootConfig } from '../op.ts';
import type { RootConfig, RootOp } from '../op.ts';
import { readJson } from '../read-json.ts';
import { limitQuestions } from '../state/limit-questions.ts';
import type { RootState } from '../state/root-state.ts';
import type { LogHead } from '../store.ts';
import { firstText, firstWords, isSentByProgram, wordsOfPerson } from './reading/first-words.ts';
import { spentRow } from '../state/tree/usage-sum.ts';
import type { SpentRow } from '../state/tree/usage-sum.ts';
import { progressOf } from './reading/progress.ts';
import { recentLeaves, subtree } from '../state/tree/queries.ts';
import { isVisible } from '../state/tree/tree.ts';

/** The facts about a conversation that a list shows. */
export const rootFacts = z.strictObject({
  title: z.string().exactOptional(),
  opening: z.string().describe('How the first message begins, for a conversation without a title.'),
  tags: z.array(z.string()).readonly(),
  config: rootConfig,
  /** The fields of the config that are too long for a list, such as a long systemPrompt. */
  config_left_out: z.array(z.string()).exactOptional(),
  /** Milliseconds since 1970. */
  created: z.number(),
  updated: z.number(),
  nodes: z.int().describe('The number of visible nodes.'),
  branches: z.int().describe('The number of branches that end in a visible node.'),
  leaves: z.array(z.string()).describe('The last nodes of the most recently active branches, newest first; at most 5.'),
  source: z
    .strictObject({ provider: z.string(), model: z.string() })
    .exactOptional()
    .describe('The model that wrote the newest of those nodes, if a model did.'),
  bookmarks: z.array(z.strictObject({ node: z.string(), title: z.string() })),
  running: z.array(z.string()).describe('The running turns.'),
  failed: z.literal(true).exactOptional().describe('The most recent branch ends with a failure.'),
  needs: z.array(z.string()).describe('Nodes of calls that wait for a person or are about to run.'),
  usage: z.strictObject({ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number().exactOptional() }),
  deleted: z.boolean(),
  archived: z.literal(true).exactOptional().describe('Out of the way: lists leave it out unless asked for it.'),
  project: z.string().exactOptional().describe('The id of the project that it belongs to.'),
});

/** The facts as the head of a log holds them; `spent` is the usage by day and model. Heads of earlier versions have less exact `days` or nothing. */
const rootHead = rootFacts.extend({
  format: z.literal(1),
  spent: z.array(spentRow).exactOptional(),
  days: z.array(z.unknown()).exactOptional(),
});

type RootFacts = z.infer<typeof rootFacts>;

/** A conversation in a list. */
export interface RootSummary extends RootFacts {
  id: string;
  spent?: SpentRow[];
  /** The reason that its log cannot be read. Then only its start time is known. */
  damaged?: string;
}

export function summarizeRoot(state: RootState): RootSummary {
  const { id, title, tags, config, created, updated, deleted, archived, project, index } = state;
  const leaves = recentLeaves(state, mostLeaves);
  const source = sourceOf(leaves[0]);
  return {
    id,
    ...(title === undefined ? {} : { title }),
    opening: openingOf(state),
    tags,
    ...listedConfig(config),
    created,
    updated,
    nodes: index.visibleCount(() => subtree(state, id)),
    branches: index.visibleLeafCount((node) => isVisible(state, node)),
    leaves: leaves.map((node) => node.id),
    ...(source === undefined ? {} : { source }),
    bookmarks: Array.from(state.bookmarks, ([node, name]) => ({ node, title: name })).slice(-mostBookmarks),
    running: [...state.liveTurns],
    ...(leaves[0] !== undefined && progressOf(leaves[0]) === 'error' ? { failed: true as const } : {}),
    needs: neededIn(state),
    usage: index.usage.total,
    spent: index.usage.rows,
    deleted,
    ...(archived ? { archived } : {}),
    ...(project === undefined ? {} : { project }),
  };
}

/**
 * The calls and spending limits that wait for a person, oldest first: a state that was loaded does not know in which order they began to wait.
 */
function neededIn(state: RootState): string[] {
  const { index, liveTurns, nodes } = state;
  const calls = [...index.waitingCalls]
    .flatMap((id) => nodes.get(id) ?? [])
    .filter(({ turn = '' }) => liveTurns.has(turn));
  return [...calls, ...limitQuestions(state).map(({ node }) => node)]
    .sort((one, other) => one.time - other.time || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id);
}

/** A list has many conversations, and each of its pages would have all their prompts. */
function listedConfig(config: RootConfig): Pick<RootFacts, 'config' | 'config_left_out'> {
  const long = Object.entries(config).flatMap(([key, value]) => (isLong(value) ? [key] : []));
  if (long.length === 0) return { config };
  const short = Object.fromEntries(Object.entries(config).filter(([key]) => !long.includes(key)));
  return { config: short, config_left_out: long };
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longestSetting;
  return typeof value === 'object' && JSON.stringify(value).length > longestSetting;
}

/** A conversation of which only the list knows. */
export function summarizeDamaged(id: string, created: number, damaged: string): RootSummary {
  const nothing = { tags: [], config: {}, leaves: [], bookmarks: [], running: [], needs: [], opening: '' };
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { id, ...nothing, created, updated: created, nodes: 0, branches: 0, usage, deleted: false, damaged };
}

/** The head of a root's log. */
export function headOfRoot(state: RootState): LogHead {
  return writeHead(summarizeRoot(state));
}

function writeHead({ id: _id, ...facts }: RootSummary): LogHead {
  return { time: facts.updated, text: JSON.stringify({ format: 1, ...facts }) };
}

/** Reads the list entry of a root from the head of its log; `undefined` if that is of another format. */
export function readHead(id: string, { text }: LogHead): RootSummary | undefined {
  const parsed = rootHead.safeParse(readJson(text));
  if (!parsed.success) return undefined;
  const { format: _format, days: _days, ...summary } = parsed.data;
  return { id, ...summary };
}

/**
 * Returns true if a head still holds after some ops that led to a state: words that come while a model speaks or a person
 * types change nothing that a list shows but the time, which is at most a minute old. Those of the first message do.
 */
export function keepsHead(ops: readonly RootOp[], before: LogHead, state: RootState): boolean {
  return isYoungEnough(before, state) && ops.every((op) => isSilent(op, state)) && hasSameLeaves(before, state);
}

/**
 * Returns true if the branches are still in the same order: if several grow at once, words move the one that they are in to
 * the front.
 */
function hasSameLeaves(head: LogHead, state: RootState): boolean {
  const { arrangement } = state.index.leaves;
  if (lastSame.get(head) === arrangement) return true;
  const leaves = recentLeaves(state, mostLeaves).map(({ id }) => id);
  if (!head.text.includes(`"leaves":${JSON.stringify(leaves)}`)) return false;
  lastSame.set(head, arrangement);
  return true;
}

/** The arrangement of leaves with which a head was last found to agree: for each word of one branch it is the same. */
const lastSame = new WeakMap<LogHead, object>();

/** Returns true if a head tells a list something else than its root says. One of another format tells it nothing. */
export function isWrongHead(head: LogHead, state: RootState): boolean {
  const said = readHead(state.id, head);
  if (said === undefined) return false;
  // In heads of earlier versions marks counted as activity: they may be newer.
  const isTimely = said.updated === head.time && head.time > state.updated - oldestTime;
  const due = { ...summarizeRoot(state), updated: said.updated };
  const { spent, config_left_out: leftOut, ...older } = due;
  // Heads of earlier versions do not hold `spent`, and have the whole config.
  const config = said.config_left_out === undefined ? state.config : due.config;
  const former = formerOpenings(state);
  // They had the bars of purged words.
  const isMasked = due.opening.startsWith(purgedWords) && /^█+$/u.test(said.opening);
  const expected = {
    ...older,
    opening: former.includes(said.opening) || isMasked ? said.opening : due.opening,
    // Their calls stood in the order in which they began to wait.
    needs: stableDeepEqual([...said.needs].sort(), [...due.needs].sort()) ? said.needs : due.needs,
    config,
    ...(said.config_left_out === undefined || leftOut === undefined ? {} : { config_left_out: leftOut }),
    ...(said.spent === undefined || spent === undefined ? {} : { spent }),
  };
  return !isTimely || !stableDeepEqual(said, expected);
}

/** Returns the first words as earlier versions found them: they took notices and context of programs, and answers, for a person's. */
function formerOpenings(state: RootState): string[] {
  const beginning = beginningOf(state);
  const isNoticeOrOfProgram = (node: NodeState): boolean => isOfProgram(node) || noticeOf(node) !== undefined;
  const nodes = [isOfProgram, isNoticeOrOfProgram, isOfProgramOrNotice].map(
    (isPassedOver) => beginning.find((node) => !isPassedOver(node)) ?? beginning[0],
  );
  return nodes.flatMap((node) => [openingOf(state, node, firstText), openingOf(state, node)]);
}

function isYoungEnough({ time }: LogHead, { updated }: RootState): boolean {
  return Math.abs(updated - time) < oldestTime;
}

function isSilent(op: RootOp, state: RootState): boolean {
  switch (op.type) {
    case 'client-added':
    case 'counters-raised':
      return true;
    case 'text-appended': {
      const block = openingBlock(state, op.block);
      return block === undefined || (block.type === 'text' && block.text.length - op.text.length >= reachOf(state));
    }
    case 'text':
    case 'unit':
      return openingBlock(state, op.block) === undefined || op.splices.every(({ at }) => at >= reachOf(state));
    default:
      return false;
  }
}

/** Returns the end of the first words in their block: text of a program may come before them. */
function reachOf(state: RootState): number {
  const node = openingNode(state);
  return node !== undefined && isSentByProgram(node) ? Infinity : longestOpening;
}

const oldestTime = 60_000;
const mostLeaves = 5;
/** A list shows the last ones of each conversation. */
export const mostBookmarks = 50;
const longestOpening = 200;
/** The longest setting of a config in a list, in characters. */
const longestSetting = 1000;

function sourceOf(node: NodeState | undefined): RootFacts['source'] {
  // A message that was brought in need not say which model wrote it.
  if (node?.source.type !== 'model' || node.source.provider === '') return undefined;
  return { provider: node.source.provider, model: node.source.model_name };
}

/** The title of the first message, or its first words; calls are named. */
export function openingOf(state: RootState, node = openingNode(state), wordsOf = firstWords): string {
  return node === undefined
    ? ''
    : (node.title ?? wordsOf(node, longestOpening)).slice(0, longestOpening).toWellFormed();
}

/**
 * The message that a conversation is known by: the first, but where a program wrote that in the name of its user, the first words of a person, or
 * else the first answer.
 */
export function openingNode(state: RootState): NodeState | undefined {
  const first = firstBelow(state, state.id);
  if (first === undefined || !isOfProgramOrNotice(first)) return first;
  const others = beginningOf(state).filter((node) => !isOfProgramOrNotice(node));
  return others.find(({ role }) => role === 'user') ?? others.find(saysMoreThanErrors) ?? first;
}

function saysMoreThanErrors({ blocks }: NodeState): boolean {
  return blocks.some(({ type }) => type !== 'error');
}

/** The first messages of the oldest branch. */
function beginningOf(state: RootState): NodeState[] {
  const nodes: NodeState[] = [];
  let node = firstBelow(state, state.id);
  for (; node !== undefined && nodes.length <= mostPassedOver; node = firstBelow(state, node.id)) nodes.push(node);
  return nodes;
}

function isOfProgramOrNotice(node: NodeState): boolean {
  return isOfProgram(node) || noticeOf(node) !== undefined || isWithoutPerson(node);
}

/** Returns true for a message from another program, in the name of its user, that holds nothing but text of that program. */
function isWithoutPerson(node: NodeState): boolean {
  const { blocks } = node;
  return (
    isSentByProgram(node) &&
    blocks.some(({ type }) => type === 'text') &&
    blocks.every((block) => block.type === 'text' && !isPurged(block)) &&
    wordsOfPerson(blocks) === ''
  );
}

/**
 * One line for a message that a program wrote in the name of its user: one that is marked as such, or that came from another program and is one by its words.
 * Messages that were written in Loom are never such without the mark.
 */
export function noticeOf(node: Pick<NodeState, 'role' | 'origin' | 'blocks' | 'notice'>): string | undefined {
  const { role, origin, notice, blocks } = node;
  const [first] = blocks;
  const text = first?.type === 'text' ? first.text : '';
  if (notice !== undefined) return programNotice(text) ?? (firstLine(text) || notice.kind);
  return role === 'user' && origin !== undefined ? programNotice(text) : undefined;
}

function firstLine(text: string): string {
  return text.slice(0, longestOpening).trim().split('\n', 1)[0]?.toWellFormed() ?? '';
}

function firstBelow(state: RootState, parent: string): NodeState | undefined {
  return state.nodes.get(state.children.get(parent)?.find((child) => state.nodes.get(child)?.deleted !== true) ?? '');
}

/**
 * Returns true if a program wrote the message for the model to read: its environment, its instructions. Importers note that.
 */
export function isOfProgram({ role, custom_data: data }: NodeState): boolean {
  return role === 'user' && data?.['synthetic'] === true;
}

/** Programs begin with a few such messages. */
const mostPassedOver = 10;

/** A block of the first message, whose beginning lists show. */
function openingBlock(state: RootState, block: string): MessageBlock | undefined {
  return openingNode(state)?.blocks.find(({ block_id }) => block_id === block);
}

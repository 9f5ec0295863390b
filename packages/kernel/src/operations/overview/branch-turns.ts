import { isBlank, programNotice, programNoticeKind } from '@loom/blocks';
import { firstWords } from '../../forest/reading/first-words.ts';
import { isOfProgram, noticeOf } from '../../forest/root-head.ts';
import type { NodeState } from '../../state/node-state.ts';
import { UsageSum } from '../../state/tree/usage-sum.ts';
import type { SpentRow } from '../../state/tree/usage-sum.ts';

/** A part of a branch: from what a person asked to the end of the answer, what an agent began unasked, or a summary of the context. */
export interface BranchTurn {
  readonly kind: 'person' | 'own' | 'summary';
  /** Counts what persons asked, from 1. */
  readonly number?: number;
  readonly start: NodeState;
  /** All messages of it; of a summary only its own. */
  readonly nodes: readonly NodeState[];
  readonly words: string;
  /** For a summary: the tokens that the calls before and after it read. */
  readonly before?: number;
  readonly after?: number;
}

/** Divides a branch into turns, in their order. `from` leaves out those before the one that this message belongs to. */
export function turnsOf(path: readonly NodeState[], from?: string): BranchTurn[] {
  const answered = answeredIn(path);
  const turns: (BranchTurn & { nodes: NodeState[] })[] = [];
  let [number, first] = [0, 0];
  let open: NodeState[] = [];
  /** The last message that is no notice. */
  let above: NodeState | undefined;
  for (const [index, node] of path.entries()) {
    const kind = startOf(node, above, answered[index] === true);
    if (node.role !== 'user' || !isNotice(node)) above = node;
    if (kind === 'person') number += 1;
    if (kind === 'summary') {
      turns.push({ kind, start: node, nodes: [node], words: 'Context summarized', ...heardAround(path, index) });
    } else if (kind !== undefined) {
      open = [node];
      const counted = kind === 'person' ? { number } : {};
      turns.push({ kind, ...counted, start: node, nodes: open, words: wordsOf(node) });
      // Texts of programs before anything is asked belong to no turn.
    } else if (turns.length > 0) open.push(node);
    if (node.id === from)
      first = Math.max(
        0,
        turns.findLastIndex(({ nodes }) => nodes === open),
      );
  }
  return turns.slice(first);
}

/** Returns what begins at a message, if anything does. `above`: the last one before it that is no notice. */
function startOf(node: NodeState, above: NodeState | undefined, isAnswered: boolean): BranchTurn['kind'] | undefined {
  if (node.role !== 'user') return above === undefined ? 'own' : undefined;
  if (node.continues === true) return undefined;
  if (!isNotice(node)) return 'person';
  const kind = noticeKind(node);
  if (kind === 'context-summary') return 'summary';
  if (!isAnswered) return undefined;
  // A command that a model answers was a person's wish.
  if (commands.has(kind)) return 'person';
  if (local.has(kind)) return undefined;
  const isBetween = above?.role !== 'assistant' || above.blocks.some(isCall);
  return isBetween ? undefined : 'own';
}

const commands = new Set(['command-name', 'command-message']);
/** Notices about what a person did in the program itself: no agent begins anything because of them. */
const local = new Set([
  'interrupted',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
]);

/** Says of each message if a model speaks after it before a person does. */
function answeredIn(path: readonly NodeState[]): boolean[] {
  const answered: boolean[] = Array.from({ length: path.length }, () => false);
  let isNext = false;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const node = path[at];
    answered[at] = isNext;
    if (node === undefined) continue;
    if (node.role !== 'user') isNext = true;
    else if (!isNotice(node) || noticeKind(node) === 'context-summary') isNext = false;
  }
  return answered;
}

function isNotice(node: NodeState): boolean {
  return isOfProgram(node) || isNoticeInWords(node);
}

/** Returns true if nothing of a message is a person's: a mixed one is. */
function isNoticeInWords(node: NodeState): boolean {
  if (node.notice !== undefined) return true;
  if (noticeOf(node) === undefined) return false;
  return node.blocks.every((block) => block.type === 'text' && programNotice(block.text) !== undefined);
}

function noticeKind({ notice, blocks }: NodeState): string {
  const [first] = blocks;
  const said = first?.type === 'text' ? programNoticeKind(first.text) : undefined;
  return notice?.kind ?? said ?? '';
}

function isCall({ type }: NodeState['blocks'][number]): boolean {
  return type === 'tool-use';
}

/** The beginning of what a person said, without what programs put beside it. */
function wordsOf(node: NodeState): string {
  if (node.title !== undefined && node.title !== '') return node.title;
  if (isNotice(node)) return noticeOf(node) ?? firstWords(node, longestWords);
  const own = node.blocks.filter(
    (block) => block.type !== 'text' || (!isBlank(block.text) && !isNoticeText(node, block.text)),
  );
  return firstWords({ ...node, blocks: own }, longestWords).toWellFormed();
}

function isNoticeText({ origin }: NodeState, text: string): boolean {
  return origin !== undefined && programNotice(text) !== undefined;
}

/** The length of the words of a turn, in UTF-16 units. */
export const longestWords = 240;

function heardAround(path: readonly NodeState[], index: number): Pick<BranchTurn, 'before' | 'after'> {
  let above = index - 1;
  while (above >= 0 && !isUsed(path[above])) above -= 1;
  let below = index + 1;
  while (below < path.length && !isUsed(path[below])) below += 1;
  const told = (name: 'before' | 'after', node: NodeState | undefined, withOutput: boolean) => {
    const usage = node?.source.type === 'model' ? node.source.usage : undefined;
    return usage === undefined ? {} : { [name]: usage.input_tokens + (withOutput ? usage.output_tokens : 0) };
  };
  return { ...told('before', path[above], true), ...told('after', path[below], false) };
}

function isUsed(node: NodeState | undefined): boolean {
  return node?.source.type === 'model' && (node.source.usage?.input_tokens ?? 0) > 0;
}

/** The amounts of a turn, and what its calls used. */
export interface TurnSums {
  readonly tools: number;
  /** From its first message to the end of its last, in milliseconds. */
  readonly duration: number;
  readonly spent: readonly SpentRow[];
  /** The first message of a model. */
  readonly answer: NodeState | undefined;
  readonly end: NodeState;
}

export function sumsOf({ start, nodes }: BranchTurn): TurnSums {
  const usage = new UsageSum();
  let [tools, over] = [0, start.time];
  for (const node of nodes) {
    usage.replace(undefined, node);
    if (node.role !== 'user') over = Math.max(over, node.time, Date.parse(node.ended_at ?? '') || 0);
    if (node.role === 'assistant') tools += node.blocks.filter(isCall).length;
  }
  const end = nodes.at(-1) ?? start;
  return {
    tools,
    duration: over - start.time,
    spent: usage.rows,
    answer: nodes.find(({ role }) => role === 'assistant'),
    end,
  };
}

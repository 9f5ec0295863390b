import { cleanText, isBlank } from '@loom/blocks';
import type { MessageBlock, TextBlock } from '@loom/blocks';
import type { Decision } from '../../../log/log-shape.ts';
import type { SourceInfo } from '../../../node-metadata.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { RootOp } from '../../../op.ts';
import type { Refused } from '../../../refusal.ts';
import type { RootState } from '../../../state/root-state.ts';
import type { TextEditor } from './text-editor.ts';
import { editOp, editUnit } from './text-ops.ts';
import { planBlocks, textsOf } from './block-plan.ts';
import { copiesByOriginal, copyBlocks, copyContextMarks, extendExclusions } from '../copying/copy.ts';
import { refuseEmpty, wouldSayNothing } from './empty-message.ts';
import { refuseOtherText } from './expected-text.ts';
import { joinParts, partsUpTo } from './message-parts.ts';
import { liveTurnAnswering, refuseMissingNode, refuseUnderTurn, refuseUnfinished } from '../obstacles.ts';
import { partingPoint, replacement } from './text-cut.ts';
import type { Cut } from './text-cut.ts';
import { visibleNode } from '../../../state/tree/tree.ts';

/** A node and its new text; several blocks stay several blocks. */
export interface EditNodeParams {
  node: string;
  content: string | readonly TextBlock[];
  /** The mode; by default `in-place` for a message that nothing follows, else `sibling`. */
  mode?: EditMode;
  /** The message's text as far as the caller knows. */
  expected?: string | readonly TextBlock[];
}

/**
 * The fate of the old text. `sibling`: it stays as it is, with everything below it, beside a new message. `in-place`: only
 * the history keeps it. `split`: both texts share their common beginning, for callers that grow a text piece by piece.
 */
export type EditMode = 'sibling' | 'in-place' | 'split';

/** The node that now ends a path with the new text, and how that came about. */
export interface EditNodeValue {
  node: string;
  how: 'unchanged' | 'in-place' | 'extension' | 'truncation' | 'divergence' | 'sibling';
}

type EditDecision = Decision<RootOp, EditNodeValue>;

/**
 * Gives a message another text. Unless told to edit in place, it leaves the old text to the messages that follow it or are
 * about to.
 */
export function decideEditNode(
  state: RootState,
  agent: string,
  params: EditNodeParams,
  editor: () => TextEditor,
): EditDecision {
  const node = visibleNode(state, params.node);
  if (node === undefined) return refuseMissingNode(params.node);
  const obstacle = refuseUnfinished(state, node);
  if (obstacle !== undefined) return obstacle;
  const isLeaf = state.index.liveChildCount(node.id) === 0 && liveTurnAnswering(state, node.id) === undefined;
  const whole = partsUpTo(state, node);
  const mode = params.mode ?? (isLeaf && whole.length === 1 ? 'in-place' : 'sibling');
  const isInPlace = mode === 'in-place' || (mode === 'split' && isLeaf);
  const parts = mode === 'sibling' ? whole : [node];
  const [head = node] = parts;
  const blocks = joinParts(parts);
  const given = cleanTexts(params.content);
  const isEmpty = wouldSayNothing(head, given);
  const others = blocks.filter(({ type }) => type !== 'text' && (isInPlace || type !== 'tool-use'));
  if (isEmpty && others.length === 0) return refuseEmpty(node);
  // The other blocks say enough without any text.
  const texts = isEmpty ? [] : given;
  const old = textsOf(blocks);
  if (old.length === texts.length && old.every((text, index) => text === texts[index])) {
    return { ok: true, ops: [], value: { node: node.id, how: 'unchanged' } };
  }
  const changed = params.expected === undefined ? undefined : refuseOtherTexts(old, cleanTexts(params.expected));
  if (changed !== undefined) return changed;
  if (isInPlace) return editInPlace(state, agent, node, texts, editor);
  return mode === 'sibling' ? addSibling(state, agent, parts, texts) : branch(state, agent, node, texts);
}

function refuseOtherTexts(actual: readonly string[], expected: readonly string[]): Refused | undefined {
  const isAsExpected = actual.length === expected.length && actual.every((text, index) => text === expected[index]);
  return isAsExpected ? undefined : refuseOtherText(actual.join('\n'), expected.join('\n'));
}

/** The texts of new content, as a store can keep them. */
function cleanTexts(content: EditNodeParams['content']): string[] {
  return typeof content === 'string' ? [cleanText(content)] : content.map(({ text }) => cleanText(text));
}

function editInPlace(
  state: RootState,
  agent: string,
  node: NodeState,
  texts: readonly string[],
  editor: () => TextEditor,
): EditDecision {
  const ops: RootOp[] = [];
  let index = 0;
  for (const step of planBlocks(node.blocks, texts)) {
    const id = step.type === 'add' ? undefined : step.block.block_id;
    if (step.type === 'add')
      ops.push({ type: 'block-added', node: node.id, index, block: newText(state, agent, step.text) });
    if (step.type === 'edit' && id !== undefined && step.block.type === 'text') {
      ops.push(editOp(state, editor(), { unit: editUnit(state) }, id, [replacement(step.block.text, step.text)]));
    }
    if (step.type === 'remove' && id !== undefined) ops.push({ type: 'block-removed', block: id });
    else index += 1;
  }
  return { ok: true, ops, value: { node: node.id, how: 'in-place' } };
}

function branch(state: RootState, agent: string, node: NodeState, texts: readonly string[]): EditDecision {
  const parting =
    node.role === 'tool' || node.blocks.some(({ type }) => type !== 'text') ? undefined : part(node, texts);
  if (parting === undefined) return addSibling(state, agent, [node], texts);
  const { cut, rest } = parting;
  const obstacle = cut === undefined ? refuseUnderTurn(state, node.id) : undefined;
  if (obstacle !== undefined) return obstacle;
  const split = cut === undefined ? undefined : splitOps(state, agent, node, cut);
  const left = split?.left ?? node.id;
  const ops = split?.ops ?? [];
  if (rest === undefined) return { ok: true, ops, value: { node: left, how: 'truncation' } };
  const id = state.newNodeId();
  const blocks = rest.texts.map((text) => newText(state, agent, text));
  const seed = { id, parent: left, role: node.role, blocks, source: editedSource(node) };
  ops.push({ type: 'node-added', node: rest.continues ? { ...seed, continues: true } : seed });
  return { ok: true, ops, value: { node: id, how: cut === undefined ? 'extension' : 'divergence' } };
}

interface Parting {
  /** The cut in the old text; absent if all of it stays. */
  cut?: Cut;
  /** The replacement for the old text's end; absent if the new text is a beginning of the old. */
  rest?: { texts: string[]; continues: boolean };
}

/** Finds the point where the new text branches off a node of text blocks; `undefined` if there is nothing to share. */
function part(node: NodeState, texts: readonly string[]): Parting | undefined {
  const old = textsOf(node.blocks);
  const { block, offset } = partingPoint(old, texts);
  if (block === 0 && offset === 0) return undefined;
  const parting: Parting = {};
  const oldEnd = offset === old[block]?.length;
  if (block + Number(oldEnd) < old.length) {
    // At the end of a block the cut is before the next one, so that no empty block is left.
    parting.cut = oldEnd ? { block: block + 1, offset: 0 } : { block, offset };
    const halves = [old.slice(0, parting.cut.block), old.slice(parting.cut.block)];
    // Halves between whole blocks are separate messages, and white space alone is not a message.
    if (parting.cut.offset === 0 && halves.some((half) => half.every(isBlank))) return undefined;
  }
  const newEnd = offset === texts[block]?.length;
  const [first, ...others] = newEnd ? texts.slice(block + 1) : texts.slice(block);
  if (first !== undefined) {
    const continues = !newEnd && offset > 0;
    const rest = [continues ? first.slice(offset) : first, ...others];
    if (!continues && rest.every(isBlank)) return undefined;
    parting.rest = { texts: rest, continues };
  }
  return parting;
}

function splitOps(state: RootState, agent: string, node: NodeState, cut: Cut): { ops: RootOp[]; left: string } {
  const moved = node.blocks.slice(0, cut.offset === 0 ? cut.block : cut.block + 1);
  const ids = moved.map(() => state.newBlockId(agent));
  const copies = new Map(moved.map(({ block_id: id = '' }, index) => [id, ids[index] ?? '']));
  const left = state.newNodeId();
  const ops: RootOp[] = [{ type: 'node-split', node: node.id, left, ...cut, ids }];
  return { ops: [...ops, ...extendExclusions(state, copies, node.id)], left };
}

/** A message beside all parts of another one. Calls stay behind, because their results do; other blocks come along as copies. */
function addSibling(
  state: RootState,
  agent: string,
  parts: readonly NodeState[],
  texts: readonly string[],
): EditDecision {
  const [head] = parts;
  if (head === undefined) throw new RangeError('a message has at least one part');
  const obstacle = refuseUnderTurn(state, head.parent);
  if (obstacle !== undefined) return obstacle;
  const blocks = planBlocks(joinParts(parts), texts).flatMap((step): MessageBlock[] => {
    if (step.type === 'add' || step.type === 'edit') return [newText(state, agent, step.text)];
    const { block } = step;
    if (step.type === 'remove' || block.type === 'tool-use') return [];
    const isJoined = block.type === 'text' && block.block_id === undefined;
    return isJoined ? [newText(state, agent, block.text)] : copyBlocks(state, agent, [block]);
  });
  const { parent, role, tool_call_id, is_error, continues } = head;
  const id = state.newNodeId();
  const ops: RootOp[] = [
    {
      type: 'node-added',
      node: {
        id,
        parent,
        role,
        blocks,
        source: editedSource(head),
        ...(tool_call_id === undefined ? {} : { tool_call_id }),
        ...(is_error === undefined ? {} : { is_error }),
        ...(continues === undefined ? {} : { continues }),
      },
    },
    ...copyContextMarks(parts, id, copiesByOriginal(blocks)),
  ];
  return { ok: true, ops, value: { node: id, how: 'sibling' } };
}

function newText(state: RootState, agent: string, text: string): TextBlock {
  return { type: 'text', text, block_id: state.newBlockId(agent), status: 'done' };
}

/** The agent that edits speaks for the message from now on; a tool's result stays a tool's. */
function editedSource({ source }: NodeState): SourceInfo {
  return source.type === 'tool_result' ? source : { type: 'user' };
}

import {
  assistantBlock,
  cleanText,
  contentFields,
  editableText,
  messageBlock,
  toolBlock,
  userBlock,
} from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { Decision } from '../../../log/log-shape.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { RootOp } from '../../../op.ts';
import { refuse, refuseValue } from '../../../refusal.ts';
import type { Refused } from '../../../refusal.ts';
import type { RootState } from '../../../state/root-state.ts';
import type { TextEditor } from './text-editor.ts';
import { editOp, editUnit } from './text-ops.ts';
import { resultsBelow } from '../../calls.ts';
import { refuseEmpty, wouldSayNothing } from './empty-message.ts';
import { refuseOtherText } from './expected-text.ts';
import { refuseUnfinished } from '../obstacles.ts';
import { replacement } from './text-cut.ts';
import { presentNode } from '../../../state/tree/tree.ts';

/** A block and its new content: another text, or another content whole. */
export type EditBlockParams = { block: string } & (
  | {
      text: string;
      /** The block's text as far as the caller knows. */
      expected?: string;
    }
  | { content: MessageBlock }
);

/** Edits a block where it is, for everything below it too. It keeps its id and history. */
export function decideEditBlock(
  state: RootState,
  agent: string,
  params: EditBlockParams,
  editor: () => TextEditor,
): Decision<RootOp, { block: string }> {
  const node = presentNode(state, state.nodeOfBlock.get(params.block) ?? '');
  const before = node && state.block(params.block);
  if (before === undefined || node === undefined) {
    return refuse({ reason: 'block-not-found', block: params.block });
  }
  const obstacle = refuseUnfinished(state, node);
  if (obstacle !== undefined) return obstacle;
  const edit =
    'text' in params
      ? editText(state, agent, node, before, params, editor)
      : replaceContent(state, node, before, params);
  return edit.ok ? { ok: true, ops: edit.ops, value: { block: params.block } } : edit;
}

type Edit = { ok: true; ops: RootOp[] } | Refused;

function editText(
  state: RootState,
  agent: string,
  node: NodeState,
  before: MessageBlock,
  { block, text: given, expected }: Extract<EditBlockParams, { text: string }>,
  editor: () => TextEditor,
): Edit {
  const old = editableText(before);
  if (old === undefined) return refuse({ reason: 'not-text', block, kind: before.type });
  const text = cleanText(given);
  if (text === old) return { ok: true, ops: [] };
  if (expected !== undefined && cleanText(expected) !== old) return refuseOtherText(old, cleanText(expected));
  if (before.type === 'text' && becomesEmpty(node, before, text)) return refuseEmpty(node);
  const author = { unit: editUnit(state) };
  return { ok: true, ops: [editOp(state, editor(), author, block, [replacement(old, text)])] };
}

function replaceContent(
  state: RootState,
  node: NodeState,
  before: MessageBlock,
  { block, content }: Extract<EditBlockParams, { content: MessageBlock }>,
): Edit {
  const schema = { user: userBlock, assistant: assistantBlock, tool: toolBlock }[node.role];
  if (!schema.safeParse(content).success) {
    return refuseValue(['content'], `is a ${content.type} block that a message of role ${node.role} cannot hold`);
  }
  if (before.type === 'tool-use' && !(content.type === 'tool-use' && content.id === before.id)) {
    const results = resultsBelow(state, before.id, node.id);
    if (results.length > 0) {
      return refuse({ reason: 'results-need-calls', results, by: 'replacing', node: node.id });
    }
  }
  if (content.type === 'text' && becomesEmpty(node, before, content.text)) return refuseEmpty(node);
  // The caller's bookkeeping fields do not hold here; the block keeps its own.
  const { provider } = content;
  const bare = { ...contentFields(content), ...(provider === undefined ? {} : { provider }), block_id: block };
  return { ok: true, ops: [{ type: 'block-changed', block: messageBlock.parse(bare) }] };
}

/** Returns true if a node would say nothing with another text in one of its blocks. */
function becomesEmpty(node: NodeState, block: MessageBlock, text: string): boolean {
  if (node.blocks.some((other) => other !== block && other.type !== 'text')) return false;
  const texts = node.blocks.flatMap((other) => (other !== block && other.type === 'text' ? [other.text] : []));
  return wouldSayNothing(node, [...texts, text]);
}

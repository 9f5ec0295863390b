import { isBlank, programNotice } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { hideableKind } from '../blocks/kinds/block-kinds.ts';
import { toolKindOf } from '../blocks/tools/tool-kinds.ts';
import { isFoldable } from '../blocks/tools/tool-state.ts';
import type { BlockRow, Row, RowSource } from './rows.ts';
import { isOfProgram } from './who.ts';

/** A message, and what its rows depend on. */
export interface NodeSource extends Pick<RowSource, 'nodes' | 'isShown' | 'wanted'> {
  node: NodeState;
  hasHeader: boolean;
  /** True if the message has siblings to switch to. */
  isSwitched: boolean;
  /** The last node that has sources. */
  cited: NodeState | undefined;
  results: ReadonlyMap<string, string>;
}

/** Returns the rows of a message. */
export function rowsOfNode({ node, hasHeader, isSwitched, cited, results, nodes, isShown, wanted }: NodeSource): Row[] {
  // A tool result is drawn with its call.
  if (node.role === 'tool' && node.tool_call_id !== undefined && results.get(node.tool_call_id) === node.id) {
    return [];
  }
  const block = node.blocks[0]?.block_id;
  if (block !== undefined && isOfProgram(node)) return noticeRows(node, block, isSwitched);
  const rows: Row[] = hasHeader ? [headerRow(node.id)] : [];
  const said = node.role === 'user' ? node.blocks.filter((one) => !isNotice(node, one) && !isSilentBlock(one)) : [];
  const cites = cited !== undefined && (cited === node || cited.turn === node.turn) ? { cites: cited.id } : {};
  for (const block of node.blocks) {
    const { block_id: id } = block;
    if (id === undefined || isSilentBlock(block)) continue;
    const result = block.type === 'tool-use' ? results.get(block.id) : undefined;
    const answer = nodes.get(result ?? '');
    const kind = hideableKind(block);
    const isWanted = wanted !== undefined && (wanted.block === id || wanted.node === result);
    // Blocks that wait for the reader, or were looked for, are never hidden.
    if (kind !== undefined && !isShown(kind) && answer?.ask === undefined && !isWanted) {
      rows.push({ kind: 'hidden', key: `${id} hidden`, node: node.id, blocks: 1, kinds: [kind] });
    } else if (block.type === 'tool-use') {
      const { name } = block;
      const call = { key: id, node: node.id, block: id, result, name };
      const tool = toolKindOf(name);
      // Each edit of a text is taken back on its own card.
      rows.push({ kind: 'tool', ...call, tool, isFoldable: tool !== 'text' && isFoldable(block, answer) });
    } else if (node.role === 'user' && !said.includes(block)) {
      rows.push({ kind: 'notice', key: `${id} notice`, node: node.id, block: id, isPart: true });
    } else {
      const place = node.role === 'user' ? { said: placeOf(said.indexOf(block), said.length) } : {};
      const more = block.type === 'text' ? cites : {};
      rows.push({ kind: 'block', key: id, node: node.id, block: id, type: block.type, ...place, ...more });
    }
  }
  return rows;
}

/** A notice needs no header, unless others stand in its place: the header has the switch between them. */
function noticeRows(node: NodeState, block: string, isSwitched: boolean): Row[] {
  const notice: Row = { kind: 'notice', key: `${node.id} notice`, node: node.id, block };
  return isSwitched ? [headerRow(node.id), notice] : [notice];
}

function headerRow(node: string): Row {
  return { kind: 'header', key: `${node} header`, node };
}

function placeOf(index: number, length: number): NonNullable<BlockRow['said']> {
  if (length === 1) return 'only';
  return index === 0 ? 'first' : index === length - 1 ? 'last' : 'middle';
}

/** Returns true for a text that a program put into a person's message. */
function isNotice({ origin }: NodeState, block: MessageBlock): boolean {
  return origin !== undefined && block.type === 'text' && programNotice(block.text) !== undefined;
}

/** Returns true for a message of a model that is over and has nothing to show: an empty answer, or thinking that was kept back. */
export function isSilent({ role, blocks, origin, ended_at: ended }: NodeState): boolean {
  const isOver = origin !== undefined || ended !== undefined;
  return role === 'assistant' && isOver && blocks.length > 0 && blocks.every(isSilentBlock);
}

function isSilentBlock(block: MessageBlock): boolean {
  if (block.type !== 'text' && block.type !== 'thinking') return false;
  return block.status !== 'running' && block.error === undefined && isBlank(block.text);
}

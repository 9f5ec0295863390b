import { blockKind, lineCount } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { z } from 'zod';
import { nodesBelow } from '../forest/reading/block-walk.ts';
import type { NodeState } from '../state/node-state.ts';
import type { RootState } from '../state/root-state.ts';
import { parentOfBlock, pathOfBlock } from '../forest/reading/block-place.ts';
import { contentOf } from '../forest/reading/block-place.ts';
import type { BlockSnapshot, listedBlock, listParams } from './schemas.ts';

type ListedBlock = z.infer<ReturnType<typeof listedBlock>>;
type Filter = Pick<z.infer<ReturnType<typeof listParams>>, 'kind' | 'status' | 'path_prefix'>;

/** The length of the text that a block's summary shows, in characters. */
const summaryLength = 80;

/**
 * The blocks that hang on a place, node by node. On a block hang those behind it in its node, and the nodes below, up to a
 * depth that counts nodes.
 */
export function listBelow(state: RootState, place: string, depth: number, filter: Filter): ListedBlock[] {
  const listed: ListedBlock[] = [];
  const add = (node: NodeState, from: number): void => {
    for (const [index, block] of node.blocks.entries()) {
      if (index >= from && isWanted(node, block, filter)) listed.push(describeBlock(state, node, block, index));
    }
  };
  const holder = state.nodes.get(state.nodeOfBlock.get(place) ?? '');
  if (holder !== undefined) add(holder, holder.blocks.findIndex(({ block_id }) => block_id === place) + 1);
  for (const node of nodesBelow(state, holder?.id ?? place, depth)) add(node, 0);
  return listed;
}

function describeBlock(state: RootState, node: NodeState, block: MessageBlock, index: number): ListedBlock {
  const parent = parentOfBlock(state, { node, block, index });
  const path = pathOfBlock(block);
  return {
    block_id: block.block_id ?? '',
    ...(parent === undefined ? {} : { parent_id: parent }),
    role: node.role,
    kind: block.type,
    status: block.status ?? 'done',
    ...(path === undefined ? {} : { path }),
    summary: summarize(contentOf(block)),
    version: block.version ?? 1,
    // Only files have a copy elsewhere that may be behind.
    dirty: false,
  };
}

export function snapshotBlock(state: RootState, node: NodeState, block: MessageBlock, index: number): BlockSnapshot {
  return { ...describeBlock(state, node, block, index), content: contentOf(block), metadata: block.metadata ?? {} };
}

function isWanted(node: NodeState, block: MessageBlock, { kind, status, path_prefix: prefix }: Filter): boolean {
  if (status !== undefined && (block.status ?? 'done') !== status) return false;
  if (prefix !== undefined && pathOfBlock(block)?.startsWith(prefix) !== true) return false;
  if (kind === undefined) return true;
  const wanted = blockKind(kind);
  return wanted === block.type || (wanted === 'tool_result' && node.role === 'tool');
}

/** The first line that says something, and how many lines there are if there are more. */
function summarize(text: string): string {
  const line = /\S.*/.exec(text)?.[0].trimEnd() ?? '';
  const lines = lineCount(text);
  return lines > 1 ? `${shorten(line)} (${lines} lines)`.trimStart() : shorten(line);
}

function shorten(line: string): string {
  if (line.length <= summaryLength) return line;
  const start = line.slice(0, summaryLength - 1);
  // Not in the middle of a surrogate pair.
  return `${(start.isWellFormed() ? start : start.slice(0, -1)).trimEnd()}…`;
}

import { editableText, withText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { copyBlock } from './block-record.ts';
import { sourceWithoutUsage } from '../node-metadata.ts';
import type { NodeState } from './node-state.ts';
import type { RootOp } from '../op.ts';

type Split = Extract<RootOp, { type: 'node-split' }>;

/**
 * Cuts a node of text blocks in two. The new id takes the left half and the node's place; the old id keeps the right half,
 * the cut block's id and history, and the children. Whole blocks left of the cut become copies. `earlier` is the left half
 * of the same split when it is done again: its blocks' versions go on.
 */
export function splitNode(
  node: NodeState,
  { left: id, block: index, offset, ids }: Split,
  earlier?: NodeState,
): Record<'left' | 'right', NodeState> {
  const cut = node.blocks[index];
  const text = cut === undefined ? undefined : editableText(cut);
  if (cut === undefined || text === undefined || offset > text.length)
    throw new RangeError(`${node.id} cannot be cut there`);
  const halves: MessageBlock[] = offset === 0 ? [] : [withText(cut, text.slice(0, offset))];
  const leftBlocks = [...node.blocks.slice(0, index), ...halves].map((block, place) => {
    const version = earlier?.blocks[place]?.version ?? 0;
    return { ...copyBlock(block, ids[place] ?? ''), version: version + 1 };
  });
  const rightBlock = offset === 0 ? cut : { ...withText(cut, text.slice(offset)), version: (cut.version ?? 0) + 1 };
  // The left half stands above both now, so it takes the marks that concern the place of the whole.
  const { context_start: _start, title: _title, tags: _tags, continues: _continues, ...right } = node;
  const { custom_data: _data, ...left } = node;
  const exclude = node.exclude?.flatMap((excluded) => {
    const place = node.blocks.findIndex((block) => block.block_id === excluded);
    const copy = place === -1 ? undefined : ids[place];
    return copy === undefined ? [excluded] : [excluded, copy];
  });
  return {
    left: {
      ...left,
      ...(exclude === undefined ? {} : { exclude }),
      id,
      split_source: node.id,
      // The cost of the call is counted once, at the node that keeps the id.
      source: sourceWithoutUsage(node.source),
      blocks: leftBlocks,
    },
    right: {
      ...right,
      parent: id,
      // Between whole blocks there is no seam to hide: joining them with '' would make one block of two.
      ...(offset === 0 ? {} : { continues: true }),
      blocks: [rightBlock, ...node.blocks.slice(index + 1)],
    },
  };
}

/** Undoes a split: the right half takes back the left one's text, blocks, place and marks. */
export function joinNode(left: NodeState, right: NodeState, retired: ReadonlyMap<string, MessageBlock>): NodeState {
  const [first, ...rest] = right.blocks;
  const whole = [...left.blocks];
  const half = isHalf(whole.at(-1), first) ? whole.pop() : undefined;
  const restored = whole.map((copy) => {
    const original = retired.get(copy.from?.block ?? '');
    return original === undefined ? copy : { ...original, version: (original.version ?? 1) + 1 };
  });
  const { continues: _continues, ...kept } = right;
  const { continues, context_start, title, tags, parent } = left;
  return {
    ...kept,
    parent,
    ...(continues === undefined ? {} : { continues }),
    ...(context_start === undefined ? {} : { context_start }),
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    blocks: [
      ...restored,
      ...(first === undefined ? [] : [half === undefined ? first : joinBlocks(half, first)]),
      ...rest,
    ],
  };
}

/** Returns true if the last block of a left half was cut off from the first of the right one. */
export function isHalf(last: MessageBlock | undefined, first: MessageBlock | undefined): boolean {
  return last?.from !== undefined && last.from.block === first?.block_id;
}

function joinBlocks(half: MessageBlock, rest: MessageBlock): MessageBlock {
  const text = (editableText(half) ?? '') + (editableText(rest) ?? '');
  return { ...withText(rest, text), version: (rest.version ?? 0) + 1 };
}

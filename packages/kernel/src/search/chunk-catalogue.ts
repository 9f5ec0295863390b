import { editableText, renderBlockAsText } from '@loom/blocks';
import type { Role } from '@loom/blocks';
import { compareIds } from '../forest/reading/id-order.ts';
import type { StoredNode } from '../snapshot/node-chunk.ts';
import { searchedBlock } from './block-filter.ts';
import type { SearchedBlock } from './block-filter.ts';

/** Where the text of a block is. */
export type TextPlace = 'narrow' | 'wide' | 'other';

export interface CataloguedBlock extends SearchedBlock {
  block_id: string;
  role: Role;
  place: TextPlace;
  /** In UTF-16 code units. */
  length: number;
}

export interface CataloguedNode {
  id: string;
  parent: string;
  deleted: boolean;
  blocks: CataloguedBlock[];
}

/** A chunk of a snapshot as a search needs it. */
export interface ChunkCatalogue {
  nodes: CataloguedNode[];
  /** The texts of blocks that have none of their own, as they are shown, one after the other. */
  other: string;
}

/** Reads which blocks a chunk has, and how long their texts are: the texts lie in the other parts one after the other in this order. */
export function catalogueChunk(stored: readonly StoredNode[]): ChunkCatalogue {
  let other = '';
  const nodes = stored.map(({ node, texts }): CataloguedNode => {
    let next = 0;
    const blocks = node.blocks.map((block): CataloguedBlock => {
      const about = { ...searchedBlock(node, block), block_id: block.block_id ?? '', role: node.role };
      if (editableText(block) !== undefined) {
        const length = texts[next++] ?? 0;
        return length >= 0 ? { ...about, place: 'narrow', length } : { ...about, place: 'wide', length: -1 - length };
      }
      const text = renderBlockAsText(block);
      other += text;
      return { ...about, place: 'other', length: text.length };
    });
    return { id: node.id, parent: node.parent, deleted: node.deleted === true, blocks };
  });
  return { nodes, other };
}

/** The place of every node that can be seen in a walk from the top. */
export function walkOrder(root: string, nodes: readonly Omit<CataloguedNode, 'blocks'>[]): Map<string, number> {
  const children = new Map<string, string[]>();
  for (const { id, parent, deleted } of nodes) {
    if (deleted) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  const order = new Map<string, number>();
  const open = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at !== root) order.set(at, order.size);
    const below = children.get(at)?.sort(compareIds) ?? [];
    for (const child of below.reverse()) open.push(child);
  }
  return order;
}

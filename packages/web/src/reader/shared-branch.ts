import type { MessageBlock, Source } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { pathTo, shapeOf, tipBelow } from '../conversation/branches.ts';
import type { Shape } from '../conversation/branches.ts';
import { Rows } from '../conversation/rows.ts';
import type { Row } from '../conversation/rows.ts';
import type { SharedCopy } from './shared-copy.ts';

/** A branch of a shared conversation, ready to be drawn. */
export interface SharedBranch {
  readonly shape: Shape;
  readonly rows: readonly Row[];
  readonly nodes: ReadonlyMap<string, NodeState>;
  readonly blocks: ReadonlyMap<string, MessageBlock>;
}

/** Lays out the branch that goes through a message; without one, or if it is gone, the one that is shown first. */
export function branchOf({ nodes: list, root, leaf }: SharedCopy, through: string | undefined): SharedBranch {
  const nodes = new Map(list.map((node) => [node.id, node]));
  const shape = shapeOf(list);
  const from = [through, leaf].find((id) => id !== undefined && nodes.has(id)) ?? root;
  const path = pathTo(shape, tipBelow(shape, from, new Map()));
  const isFork = (id: string): boolean => (shape.children.get(id)?.length ?? 0) > 1;
  const rows = new Rows().of({ path, nodes, isFork, isShown: () => true });
  const blocks = new Map(
    list.flatMap((node) => node.blocks.map((block): [string, MessageBlock] => [block.block_id ?? '', block])),
  );
  return { shape, rows, nodes, blocks };
}

/** Returns the sources that the texts of a message cite. */
export function sourcesIn(node: NodeState | undefined): readonly Source[] | undefined {
  const block = node?.blocks.findLast(({ type }) => type === 'sources');
  return block?.type === 'sources' ? block.sources : undefined;
}

import { isVisible } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import type { RootOp } from '@loom/kernel/logs';
import type { ForeignNode } from '../../foreign/foreign.ts';
import { NodeNames } from './node-names.ts';
import { endOfPassage } from './windows.ts';

/** The place of a new message. */
export interface NewPlace {
  /** The node above it, or the root. */
  readonly parent: string;
  /** The ops that make it visible there. */
  readonly ops: readonly RootOp[];
  /** The deleted message that hides it. */
  readonly hiddenBelow?: string;
  /** The merged message that is restored for it. */
  readonly shownAgain?: string;
}

/**
 * Finds the place of a new message. Users' edits of its parent apply as if the new message had been there at the time: below a parent that was
 * deleted with everything below it, the message is hidden too; a parent that was deleted alone passes it on to the message above; a parent that was
 * merged into another one is restored for it.
 */
export function placeOfNew(
  state: RootState,
  node: Pick<ForeignNode, 'parent' | 'above' | 'role'>,
  source: string,
): NewPlace {
  const names = NodeNames.of(state, source);
  let above = nodeAbove(state, node, source);
  while (above !== undefined && !isVisible(state, above.id)) {
    if (isMergedAway(state, above))
      return { parent: above.id, ops: [{ type: 'node-restored', node: above.id }], shownAgain: above.id };
    if (!names.isPassedOver(above)) return { parent: above.id, ops: [], hiddenBelow: tombstoneOver(state, above).id };
    above = state.nodes.get(above.parent);
  }
  return { parent: above?.id ?? state.id, ops: [] };
}

function nodeAbove(
  state: RootState,
  { parent, above, role }: Pick<ForeignNode, 'parent' | 'above' | 'role'>,
  source: string,
): NodeState | undefined {
  const names = NodeNames.of(state, source);
  const kept = parent === undefined ? undefined : names.keptName(parent);
  const own = kept === undefined ? undefined : names.find(kept);
  if (own !== undefined) return names.lastPart(own);
  // A message that is a part of a message in another file has no separate name.
  const line = kept ?? above;
  const known = line === undefined ? undefined : names.findLine(line);
  return known === undefined ? undefined : endOfPassage(state, known, { role });
}

/** Returns true if a message is a tombstone because another, visible one has taken over its blocks. Copies and halves of it do not count. */
function isMergedAway(state: RootState, node: NodeState): boolean {
  if (node.deleted !== true || !isVisible(state, node.parent)) return false;
  const own = new Set(node.blocks.map(({ block_id: id }) => id));
  for (const other of state.nodes.values()) {
    if (other.origin === undefined || other.origin.id === node.origin?.id) continue;
    if (other.blocks.some(({ from }) => from !== undefined && own.has(from.block)) && isVisible(state, other.id))
      return true;
  }
  return false;
}

/** Returns the topmost tombstone over an invisible node: restoring it restores the nodes below. */
function tombstoneOver(state: RootState, node: NodeState): NodeState {
  let top = node;
  for (let at: NodeState | undefined = node; at !== undefined; at = state.nodes.get(at.parent))
    if (at.deleted === true) top = at;
  return top;
}

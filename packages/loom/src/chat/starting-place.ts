import { recentLeaves } from '@loom/kernel';
import { LoomError } from '../failure.ts';
import { findPlace } from '../runtime/named-place.ts';
import type { Loom } from '../runtime/open-loom.ts';

/** A root, and the node of it to go on from. */
export interface StartingPlace {
  root: string;
  place: string;
}

/** The node that a person names; a root stands for where something happened last in it. */
export async function findNamedPlace(loom: Loom, text: string): Promise<StartingPlace> {
  const { root, node } = await findPlace(loom, text);
  const state = await loom.open(root);
  if (node !== root) return { root, place: node };
  return { root, place: recentLeaves(state, 1)[0]?.id ?? root };
}

/** The end of the branch where something happened last in the whole forest. */
export async function findRecentPlace(loom: Loom): Promise<StartingPlace> {
  const all = await loom.engine.forest.listRoots();
  const roots = all.filter(({ damaged }) => damaged === undefined);
  // Of two that are equally recent the one that was begun later.
  const recent = roots.sort((one, other) => one.updated - other.updated).at(-1);
  if (recent !== undefined) return findNamedPlace(loom, recent.id);
  const advice = all.length === 0 ? 'Start one: loom chat' : 'The existing ones cannot be read: loom doctor says why.';
  throw new LoomError('nothing-there', 'there is no conversation to go on with', { advice });
}

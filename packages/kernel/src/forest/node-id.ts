import type { RootState } from '../state/root-state.ts';

/** A place of the forest: a root, and one of its nodes or the root itself. */
export interface Place {
  root: string;
  node: string;
}

/** Finds the node or root that is meant within a root: by its id, or by the part after the root's (`node-3`, or just 3). */
export function findPlace(state: RootState, text: string): Place | undefined {
  if (text === state.id) return { root: state.id, node: state.id };
  const spellings = [text, `${state.id}/${text}`, `${state.id}/node-${text}`];
  const node = spellings.find((id) => state.nodes.has(id));
  return node === undefined ? undefined : { root: state.id, node };
}

/** The roots that may be meant: the one with that id, else all whose ids end so. */
export function matchRoots(roots: readonly string[], text: string): string[] {
  if (text === '') return [];
  return roots.includes(text) ? [text] : roots.filter((root) => root.endsWith(text));
}

/**
 * Returns those of the possible places that have that name: a root whose id happens to end in a 2 does not make 2 ambiguous
 * where a node is meant.
 */
export function preferNamed(places: readonly Place[], text: string): readonly Place[] {
  const named = places.filter(({ root, node }) => node !== root || root === text);
  return named.length === 0 ? places : named;
}

/** Splits an id into the root's and the node's part; without a `/` the root's part is missing. */
export function splitId(text: string): { root: string | undefined; name: string } {
  const end = text.lastIndexOf('/');
  return end === -1 ? { root: undefined, name: text } : { root: text.slice(0, end), name: text.slice(end + 1) };
}

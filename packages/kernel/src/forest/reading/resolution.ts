import { refuse } from '../../refusal.ts';
import type { Refusal } from '../../refusal.ts';
import type { StoreError } from '../../store.ts';
import type { Forest } from '../forest.ts';
import { matchRoots, preferNamed, splitId } from '../node-id.ts';
import type { Place } from '../node-id.ts';
import { refuseMissingNode } from '../editing/obstacles.ts';

/** The place that an id stands for, or a refusal. */
export type Resolution = { ok: true; value: Place } | { ok: false; refusal: Refusal };

/** The place that an id or its end means: in the current root if it is there, else wherever there is just one. */
export async function resolveId(
  forest: Pick<Forest, 'roots' | 'findPlace' | 'damaged'>,
  text: string,
  rootAtHand: string | undefined,
): Promise<Resolution> {
  const { root, name } = splitId(text);
  const roots = await forest.roots();
  const isHere = rootAtHand !== undefined && roots.includes(rootAtHand);
  const here = isHere ? await forest.findPlace(rootAtHand, text) : undefined;
  if (here !== undefined) return { ok: true, value: here };
  let unreadable: StoreError | undefined;
  const places = matchRoots(roots, text).map((id) => ({ root: id, node: id }));
  for (const id of root === undefined ? roots : matchRoots(roots, root)) {
    const place = await forest.findPlace(id, name, root === undefined);
    if (place !== undefined) places.push(place);
    unreadable ??= forest.damaged.get(id);
  }
  if (places.length === 0 && unreadable !== undefined) throw unreadable;
  const candidates = new Map(preferNamed(places, text).map((place) => [place.node, place]));
  const [first, ...others] = candidates.values();
  if (first === undefined) return refuseMissingNode(text);
  if (others.length === 0) return { ok: true, value: first };
  return refuse({ reason: 'ambiguous-id', id: text, ids: [...candidates.keys()] });
}

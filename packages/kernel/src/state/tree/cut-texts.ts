import type { NodeState } from '../node-state.ts';
import { compareIds, placeOfId } from './id-order.ts';

/**
 * Knows where texts go on below the node in which they begin: nodes that were split, and nodes that others continue. Follows
 * every change of a node, so that nothing has to be searched for among many children.
 */
export class CutTexts {
  /** The live children that continue a node, by node. */
  readonly #continuing = new Map<string, string[]>();
  /** The live children whose text goes on, by parent. */
  readonly #begun = new Map<string, string[]>();

  /** The children of a node whose text goes on below them, in order. */
  begunBelow(parent: string): readonly string[] {
    return this.#begun.get(parent) ?? [];
  }

  /** The children with which the text of a node goes on, in order. */
  partsBelow(node: NodeState, nodeOf: (id: string) => NodeState | undefined): NodeState[] {
    const ids = new Set(this.#continuing.get(node.id));
    const { split_source: source } = node;
    // A cut between whole blocks is not a seam; its right side is the split node, or the left side of a later split of that.
    if (source !== undefined) for (const id of [source, ...this.begunBelow(node.id)]) ids.add(id);
    return [...ids].sort(compareIds).flatMap((id) => {
      const part = nodeOf(id);
      if (part?.parent !== node.id || part.deleted === true) return [];
      return part.continues === true || isOf(part, source, nodeOf) ? [part] : [];
    });
  }

  replace(before: NodeState | undefined, after: NodeState, nodeOf: (id: string) => NodeState | undefined): void {
    const [former, present] = [continuedBy(before), continuedBy(after)];
    if (former !== present) {
      if (former !== undefined) takeFrom(this.#continuing, former, after.id);
      if (present !== undefined) addTo(this.#continuing, present, after.id);
      for (const id of [former, present]) {
        const continued = id === undefined ? undefined : nodeOf(id);
        if (continued !== undefined) this.#place(continued);
      }
    }
    if (before !== undefined && before.parent !== after.parent) takeFrom(this.#begun, before.parent, before.id);
    this.#place(after);
  }

  #place(node: NodeState): void {
    const goesOn = node.split_source !== undefined || this.#continuing.has(node.id);
    if (goesOn && node.deleted !== true) addTo(this.#begun, node.parent, node.id);
    else takeFrom(this.#begun, node.parent, node.id);
  }
}

/** Returns true if a node is another one, or was cut off from it, however often that was cut. */
function isOf(node: NodeState, source: string | undefined, nodeOf: (id: string) => NodeState | undefined): boolean {
  let at: NodeState | undefined = node;
  while (at !== undefined && at.id !== source) at = nodeOf(at.split_source ?? '');
  return at !== undefined;
}

/** The node that a node continues. */
function continuedBy(node: NodeState | undefined): string | undefined {
  return node?.continues === true && node.deleted !== true ? node.parent : undefined;
}

/** Adds an id to a list that is in order. */
function addTo(lists: Map<string, string[]>, key: string, id: string): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [id]);
    return;
  }
  const place = placeOfId(list, id);
  if (list[place] !== id) list.splice(place, 0, id);
}

function takeFrom(lists: Map<string, string[]>, key: string, id: string): void {
  const list = lists.get(key);
  if (list === undefined) return;
  const place = placeOfId(list, id);
  if (list[place] === id) list.splice(place, 1);
  if (list.length === 0) lists.delete(key);
}

/**
 * Compares ids by number where both end in one, so that node-10 comes after node-9. Ids of older generations may end in
 * none; they come behind those that do, because an order that mixes both has circles.
 */
export function compareIds(a: string, b: string): number {
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/**
 * Returns the index of an id in a sorted list, or the one where it belongs. New ids are the highest, so the end is tried
 * first.
 */
export function placeOfId(ids: readonly string[], id: string): number {
  const last = ids.at(-1);
  if (last === undefined || compareIds(last, id) < 0) return ids.length;
  let [low, high] = [0, ids.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(ids[middle] ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function numberOf(id: string): number {
  return Number(/(\d+)$/.exec(id)?.[1] ?? Infinity);
}

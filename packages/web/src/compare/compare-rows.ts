import type { ResultOf } from '@loom/kernel';

export type DiffPair = ResultOf<'tree.diff'>['blocks'][number];

/** A line of the comparison: a pair, or several pairs that are the same and folded. */
export type CompareRow =
  | { readonly kind: 'pair'; readonly key: string; readonly pair: DiffPair }
  | { readonly kind: 'same'; readonly key: string; readonly pairs: readonly DiffPair[] };

/** Runs of pairs that are the same are folded if only what differs is wanted. */
export function compareRows(pairs: readonly DiffPair[], onlyDifferences: boolean): CompareRow[] {
  const rows: CompareRow[] = [];
  let same: DiffPair[] = [];
  const fold = (): void => {
    if (same.length > 0) rows.push({ kind: 'same', key: `same ${rows.length}`, pairs: same });
    same = [];
  };
  for (const [index, pair] of pairs.entries()) {
    if (pair.type === 'same' && onlyDifferences) {
      same.push(pair);
      continue;
    }
    fold();
    rows.push({ kind: 'pair', key: `pair ${index}`, pair });
  }
  fold();
  return rows;
}

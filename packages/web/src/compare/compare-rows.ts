import type { ResultOf } from '@loom/kernel';

export type DiffPair = ResultOf<'tree.diff'>['blocks'][number];

/** A line of the comparison: a pair, or several pairs that are the same and folded. */
export type CompareRow =
  | { readonly kind: 'pair'; readonly key: string; readonly pair: DiffPair }
  | { readonly kind: 'same'; readonly key: string; readonly pairs: readonly DiffPair[] };

/** A block on one side. */
export type ComparedBlock = Extract<DiffPair, { left: unknown }>['left'];

/** Drops the blocks of tool results, which are drawn with their calls. */
export function withoutResults(
  pairs: readonly DiffPair[],
  isDrawnWithCall: (compared: ComparedBlock) => boolean,
): DiffPair[] {
  return pairs.flatMap((pair): DiffPair[] => {
    const left = 'left' in pair && !isDrawnWithCall(pair.left) ? pair.left : undefined;
    const right = 'right' in pair && !isDrawnWithCall(pair.right) ? pair.right : undefined;
    if (left !== undefined && right !== undefined) return [pair];
    if (left !== undefined) return [{ type: 'only-left', left }];
    return right === undefined ? [] : [{ type: 'only-right', right }];
  });
}

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

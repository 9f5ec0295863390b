/** One replacement in a text: offsets in UTF-16 units of the text before the batch that the splice belongs to. */
export interface TextSplice {
  at: number;
  delete: number;
  insert: string;
}

/**
 * Returns the text after a batch of splices, which may come in any order and must not overlap. Of several splices at one
 * place at most one deletes, and their insertions stand in the order of the batch.
 */
export function spliceText(text: string, splices: readonly TextSplice[]): string {
  let result = '';
  let kept = 0;
  for (const splice of [...splices].sort((a, b) => a.at - b.at)) {
    if (splice.at > kept) result += text.slice(kept, splice.at);
    kept = Math.max(kept, splice.at + splice.delete);
    result += splice.insert;
  }
  return result + text.slice(kept);
}

/** The same batch with one splice for each place, in order. */
export function mergeSplices(splices: readonly TextSplice[]): TextSplice[] {
  const merged: TextSplice[] = [];
  for (const splice of splices.length > 1 ? [...splices].sort((a, b) => a.at - b.at) : splices) {
    const last = merged.at(-1);
    if (last?.at !== splice.at) merged.push(splice);
    else {
      merged[merged.length - 1] = {
        at: last.at,
        delete: last.delete + splice.delete,
        insert: last.insert + splice.insert,
      };
    }
  }
  return merged;
}

import { isPlainObject } from '@loom/blocks';
import type { NodeJson } from '@loom/kernel';
import type { NodeEdits } from './node-edits.ts';
import { sealText, unsealText } from '../sealed-text.ts';

/** A file that another program has written, in which edits were found, and its content then. */
export interface MergedFile {
  /** The seq that it claims. */
  seq: number | undefined;
  said: NodeJson;
  additions: NodeEdits['additions'];
  /** The number of times edits of this file were merged: it may say the same again, and mean it. */
  times: number;
}

export function encodeMerged(merged: MergedFile): string {
  return sealText(JSON.stringify(merged));
}

/** Returns `undefined` if it is damaged. */
export function decodeMerged(text: string): MergedFile | undefined {
  const json = unsealText(text);
  const value: unknown = json === undefined ? undefined : JSON.parse(json);
  if (!isMerged(value)) return undefined;
  // JSON leaves out undefined values.
  const additions = value.additions.map(({ after, text: added }) => ({ after, text: added }));
  return { seq: value.seq, said: value.said, additions, times: value.times ?? 1 };
}

/** A text with a valid checksum is as it was encoded, so it is not examined further. */
function isMerged(value: unknown): value is Omit<MergedFile, 'times'> & Partial<MergedFile> {
  return isPlainObject(value) && isPlainObject(value['said']) && Array.isArray(value['additions']);
}

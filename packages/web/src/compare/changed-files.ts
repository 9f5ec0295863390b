import type { FileChange, MessageBlock } from '@loom/blocks';
import { countDiff } from '../blocks/changes/diff-rows.ts';

/** The changes of a branch to a file, all together. */
export interface ChangedFile {
  readonly path: string;
  readonly kind: FileChange['kind'];
  readonly added: number;
  readonly deleted: number;
}

/** The files that blocks have changed, by their names. One that was added stays added however often it was changed afterwards. */
export function changedFiles(blocks: readonly MessageBlock[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const block of blocks) {
    for (const { path, kind, diff } of block.type === 'file-change' ? block.changes : []) {
      const before = files.get(path);
      const counts = countDiff(diff);
      files.set(path, {
        path,
        kind: before?.kind === 'add' && kind === 'modify' ? 'add' : kind,
        added: (before?.added ?? 0) + counts.added,
        deleted: (before?.deleted ?? 0) + counts.deleted,
      });
    }
  }
  return [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

import { pathWords, splitPath } from '@loom/blocks';
import { z } from 'zod';

const changedFile = z.object({
  path: z.string(),
  kind: z.enum(['add', 'modify', 'delete', 'rename']),
  from: z.string().optional(),
  diff: z.string().optional(),
  added: z.number(),
  removed: z.number(),
  state: z.enum(['as-left', 'changed-since', 'undone', 'unknown']),
  restorable: z.boolean(),
  /** The reason that it cannot be restored, or is not shown. */
  why: z.string().optional(),
  turns: z.array(z.string()),
});
export type ChangedFile = z.infer<typeof changedFile>;

export const changeSet = z.object({
  files: z.array(changedFile),
  /** Sentences about changes of commands that are not known. */
  notes: z.array(z.string()),
  directory: z.string().optional(),
});
export type ChangeSet = z.infer<typeof changeSet>;

/** The part of a conversation whose changes are shown: the turn of a message, or its whole branch. */
export interface ChangeScope {
  readonly node: string;
  readonly scope: 'turn' | 'branch';
}

export function totals(files: readonly ChangedFile[]): { added: number; deleted: number } {
  return files.reduce(({ added, deleted }, file) => ({ added: added + file.added, deleted: deleted + file.removed }), {
    added: 0,
    deleted: 0,
  });
}

/** Files under the names of their folders, told from the one of the conversation, both in alphabetical order; those at the top come last, under `./`. */
export function byFolder(files: readonly ChangedFile[], base?: string): { folder: string; files: ChangedFile[] }[] {
  const groups = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const folder = splitPath(pathWords(file.path, { folder: base })).folder || './';
    groups.set(folder, [...(groups.get(folder) ?? []), file]);
  }
  const order = (one: string, other: string): number =>
    Number(one === './') - Number(other === './') || (one < other ? -1 : 1);
  return [...groups]
    .sort(([one], [other]) => order(one, other))
    .map(([folder, inside]) => ({ folder, files: inside.sort((one, other) => (one.path < other.path ? -1 : 1)) }));
}

/** The order in which files are shown and walked. */
export function inOrder(files: readonly ChangedFile[]): ChangedFile[] {
  return byFolder(files).flatMap((group) => group.files);
}

/** Returns true if an undo would bring a file back. */
export function goesBack({ state, restorable }: ChangedFile): boolean {
  return restorable && state !== 'undone';
}

/** Returns the files that an undo is about, and the words of its button; nothing where all of them are undone already. */
export function undoOffer(files: readonly ChangedFile[]): { files: readonly ChangedFile[]; words: string } | undefined {
  const left = files.filter(({ state }) => state !== 'undone');
  if (left.length === 0) return undefined;
  const count = left.length === files.length ? `all ${left.length}` : `${left.length}`;
  return { files: left, words: left.length === 1 ? 'Undo…' : `Undo ${count} files…` };
}

/** Says what stays of a file that goes back and was changed since. */
export function keptWords({ state, why }: ChangedFile): string | undefined {
  if (state !== 'changed-since') return undefined;
  return why ?? 'It was changed since: the lines of the turn go, the others stay.';
}

/** Says why an undo would leave a file as it is. */
export function staysBecause({ state, why }: ChangedFile): string {
  if (state === 'changed-since') return why ?? 'The same lines were changed again after the turn.';
  if (state === 'undone') return 'Its changes are undone already.';
  return why ?? 'Its content from before the turn was not kept.';
}

/** The conversation of a message: the ids of nodes begin with it. */
export function rootOf(node: string): string {
  return node.split('/')[0] ?? node;
}

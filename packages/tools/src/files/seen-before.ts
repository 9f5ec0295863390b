import type { EarlierCall } from '@loom/kernel';
import type { FileState } from '../folder/confined-folder.ts';
import { PathError } from '../folder/path-error.ts';
import type { FileScope } from './file-call.ts';
import { textOf } from './file-scope.ts';
import { shownWhole } from './read/read-file.ts';

/**
 * Returns true if the conversation shows that the model has seen a file as it is: for files that this process has not noted, such as after a
 * restart. Of the calls that were about the file the newest decides: a change that left it so, or a read that shows all of it.
 */
export async function wasSeen({ context, folder }: FileScope, file: FileState): Promise<boolean> {
  for (const call of context.earlierCalls?.() ?? []) {
    const isSame = isLeftAs(call, file) ?? (await isReadAs(call, file, folder));
    if (isSame !== undefined) return isSame;
  }
  return false;
}

/** Returns true if a call left the file as it is; `undefined` if it did not change that file. */
function isLeftAs({ name, blocks }: EarlierCall, { path, hash }: FileState): boolean | undefined {
  const changes = blocks.flatMap((block) => (block.type === 'file-change' ? block.changes : []));
  const last = changes.findLast((change) => change.path === path || change.from === path);
  if (last === undefined) return undefined;
  // The changes of a command are shown to people, not to the model.
  return changing.has(name) && last.path === path && last.after === `sha256:${hash}`;
}

const changing = new Set(['edit', 'write', 'apply_patch']);

/** Returns true if a read shows the whole file as it is; `undefined` if it is about another one. */
async function isReadAs(
  { name, parameters, blocks }: EarlierCall,
  { path, hash, bytes }: FileState,
  folder: FileScope['folder'],
): Promise<boolean | undefined> {
  const { path: named } = parameters;
  if (name !== 'read' || typeof named !== 'string' || (await placeOf(folder, named)) !== path) return undefined;
  const text = textOf(bytes);
  const whole = text === undefined ? undefined : shownWhole(path, text);
  return blocks.some(
    (block) =>
      (block.type === 'image' && block.blob === `sha256:${hash}`) ||
      (block.type === 'text' && whole !== undefined && block.text === whole),
  );
}

async function placeOf(folder: FileScope['folder'], named: string): Promise<string | undefined> {
  try {
    await using place = await folder.locate(named);
    return place.path;
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

import { readPlace } from '../folder/confined-folder.ts';
import type { ConfinedFolder, FileState } from '../folder/confined-folder.ts';
import { PathError } from '../folder/path-error.ts';
import { largestFile, textOf } from './file-scope.ts';
import { ToolMistake } from './file-call.ts';

/** Finds a file that may exist, at the path that it really has. */
export async function findFile(folder: ConfinedFolder, asked: string): Promise<{ path: string; file?: FileState }> {
  await using place = await folder.locate(asked);
  if (place.names.length === 0)
    throw new PathError('not-a-file', asked, `${asked} is the folder itself. Name a file in it.`);
  if (place.found === undefined) {
    if (/[/\\]$/u.test(asked))
      throw new PathError('bad-name', asked, `${asked} is the name of a folder. Name a file in it.`);
    return { path: place.path };
  }
  return { path: place.path, file: await readPlace(place, asked, largestFile) };
}

/** Finds a text file that must exist. */
export async function findText(folder: ConfinedFolder, asked: string): Promise<{ file: FileState; text: string }> {
  const { file } = await findFile(folder, asked);
  if (file === undefined) {
    throw new ToolMistake(`${asked} does not exist. Use list or search to find the file, or write to create it.`);
  }
  const text = textOf(file.bytes);
  if (text === undefined) {
    throw new ToolMistake(`${file.path} is not UTF-8 text, so its text cannot be changed. Use a shell command for it.`);
  }
  return { file, text };
}

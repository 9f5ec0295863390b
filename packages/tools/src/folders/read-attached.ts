import type { BlobPort } from '@loom/kernel';
import { findFile } from '../files/found-file.ts';
import { textOf } from '../files/file-scope.ts';
import { mediaTypeOf } from '../files/read/media-type.ts';
import { ConfinedFolder } from '../folder/confined-folder.ts';
import { PathError } from '../folder/path-error.ts';

/** A file of a folder, as it goes with a message: text as text, a picture or PDF as a blob. */
export type AttachedFile =
  | { path: string; size: number; text: string }
  | { path: string; size: number; media_type: string; blob: string };

/** A model reads a text from its first word to its last: this is more than most windows hold. */
const largestText = 1024 * 1024;
/** Every vendor takes requests of this size, or nearly so. */
const largestMedia = 20 * 1024 * 1024;

/** Reads a file of a folder for a message. Returns the end of a sentence about the path if it cannot go with one. */
export async function readAttached(
  directory: string,
  asked: string,
  blobs: Pick<BlobPort, 'put'>,
): Promise<AttachedFile | string> {
  try {
    const { path, file } = await findFile(await ConfinedFolder.open(directory), asked);
    if (file === undefined) return 'leads to no file. Choose another one';
    const { bytes } = file;
    const size = bytes.length;
    const media = mediaTypeOf(bytes);
    if (media !== undefined) {
      if (size > largestMedia) return 'is larger than 20 MB. Name it in the message instead, so that tools can read it';
      return { path, size, media_type: media, blob: await blobs.put(bytes) };
    }
    const text = textOf(bytes);
    if (text === undefined) return 'is neither a picture nor a PDF nor UTF-8 text';
    if (size > largestText)
      return 'is a text of more than 1 MB. Name it in the message instead, so that tools can read it';
    return { path, size, text };
  } catch (error) {
    if (error instanceof PathError) return `cannot be used: ${error.message}`;
    throw error;
  }
}

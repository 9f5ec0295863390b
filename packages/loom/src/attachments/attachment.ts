import { constants, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, extname, resolve } from 'node:path';
import type { ImageBlock, TextBlock } from '@loom/blocks';
import { errorCode } from '@loom/data-folder/files';
import { LoomError } from '../command-line/failure.ts';
import { kindOfFile } from './file-kind.ts';

/** A file that goes with a message. */
export interface Attachment {
  /** The path as the person wrote it. */
  path: string;
  block: ImageBlock | TextBlock;
  /** A description in a few words. */
  about: string;
}

export interface AttachmentScope {
  /** The base of relative paths. */
  directory: string;
  /** The folder of the conversation: the base of relative paths that lead to nothing from `directory`. */
  folder?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Keeps bytes; returns their id. */
  putBlob: (bytes: Uint8Array) => Promise<string>;
}

/** Reads an attachment: pictures and PDF files go as they are, texts as text; anything else is refused. */
export async function readAttachment(path: string, scope: AttachmentScope): Promise<Attachment> {
  const bytes = await readWhole(path, placeOf(path, scope));
  const kind = kindOfFile(bytes);
  const filename = basename(path);
  const size = describeSize(bytes.length);
  if (bytes.length === 0) throw refuse('empty-file', path, 'is empty', 'Attach one that has something in it.');
  switch (kind.type) {
    case 'media': {
      const block: ImageBlock = {
        type: 'image',
        media_type: kind.mediaType,
        blob: await scope.putBlob(bytes),
        filename,
      };
      return { path, block, about: `${kind.mediaType}, ${size}` };
    }
    case 'text': {
      if (bytes.length > largestText) {
        throw refuse(
          'file-too-large',
          path,
          `is a text of ${size}`,
          `At most ${describeSize(largestText)} of text can be attached; cut it first.`,
        );
      }
      return { path, block: { type: 'text', text: quoteFile(filename, kind.text) }, about: `text, ${size}` };
    }
    case 'unknown':
      throw refuse(
        'unknown-file-type',
        path,
        'is neither a picture nor a PDF nor text',
        'PNG, JPEG, GIF, WebP, PDF and UTF-8 text can be attached.',
      );
  }
}

/** Resolves a path; `~` is the home of the person. */
export function placeOf(path: string, { directory, folder, env }: PathScope): string {
  const home = env['HOME'] ?? homedir();
  const named = path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
  const place = resolve(directory, named);
  if (folder === undefined || existsSync(place)) return place;
  const other = resolve(folder, named);
  return existsSync(other) ? other : place;
}

/** The parts of the scope that decide where a path leads. */
export type PathScope = Pick<AttachmentScope, 'directory' | 'folder' | 'env'>;

/** The largest file, in bytes: every vendor takes requests of this size, or nearly so. */
const largestFile = 20 * 1024 * 1024;
/** A text is read by the model from its first word to its last: this is more than most windows hold. */
const largestText = 1024 * 1024;

async function readWhole(path: string, place: string): Promise<Uint8Array> {
  try {
    // A pipe that nothing writes to would be waited for.
    await using file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
    const about = await file.stat();
    if (about.isDirectory()) throw refuse('is-a-folder', path, 'is a folder', 'Attach the files in it one by one.');
    if (!about.isFile()) throw refuse('not-a-file', path, 'is not a regular file', 'Attach a copy of what it holds.');
    if (about.size > largestFile) {
      throw refuse(
        'file-too-large',
        path,
        `has ${describeSize(about.size)}`,
        `At most ${describeSize(largestFile)} can be attached.`,
      );
    }
    return await file.readFile();
  } catch (error) {
    if (error instanceof LoomError) throw error;
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new LoomError('file-not-found', `there is no file ${path}`, {
        advice: 'Check its name; paths start from the folder that you are in. Nothing was sent.',
      });
    }
    throw refuse('cannot-read', path, `cannot be read (${code ?? String(error)})`, 'Check its permissions.');
  }
}

function refuse(code: string, path: string, what: string, advice: string): LoomError {
  return new LoomError(code, `${path} ${what}`, { advice: `${advice} Nothing was sent.` });
}

/** A fence that the text itself does not have. */
function quoteFile(filename: string, text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const body = text.endsWith('\n') ? text : `${text}\n`;
  return `${filename}:\n${fence}${extname(filename).slice(1)}\n${body}${fence}\n`;
}

function describeSize(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${Number((bytes / 1024 / 1024).toFixed(1))} MB`;
  return bytes >= 1024 ? `${Math.round(bytes / 1024)} kB` : `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

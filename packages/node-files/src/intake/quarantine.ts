import { basename, join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import { failedWith, makeDirectory, writeDurably } from '@loom/stores/disk';
import { sumOf } from '../file-ledger.ts';
import { temporaryEnd } from '../file-names.ts';
import { requireFolder } from '../node-files-port.ts';
import type { NodeFilesPort } from '../node-files-port.ts';

/** The reason a file was quarantined. */
export type QuarantineReason =
  | 'json-invalid'
  /** In notes from before decision 0011; since then such files stay where they are. */
  | 'format-newer'
  | 'shape-invalid'
  | 'not-a-file'
  /** The disk has changed its bytes. */
  | 'damaged'
  /** Ids, links or other fields that only the log decides. */
  | 'not-editable'
  /** Not a file but unreadable changes of a log. */
  | 'unreadable-changes'
  /** The edit could not be applied to the present conversation. */
  | 'refused';

/** A quarantined file, with its bytes unchanged. */
export interface QuarantinedFile {
  /** Its former path, below the data directory. */
  file: string;
  /** The present path of its bytes. */
  kept: string;
  reason: QuarantineReason;
  message: string;
  time: string;
}

/** The folder for files that cannot be merged, each with a note that gives the reason. */
export class Quarantine {
  readonly #directory: string;
  readonly #files: NodeFilesPort;

  constructor(directory: string, files: NodeFilesPort) {
    this.#directory = join(directory, 'quarantine');
    this.#files = files;
  }

  /** Keeps bytes; durable when it returns. The same bytes of the same file are kept once. */
  async keep(
    bytes: Uint8Array,
    what: { root: string; file: string; reason: QuarantineReason; message: string; time: number },
  ): Promise<QuarantinedFile> {
    const kept = this.#place(what, sumOf(bytes).slice(0, 12));
    await this.#makeDirectory();
    await this.#write(kept, bytes);
    return this.#note(kept, what);
  }

  /** Moves a link or a folder aside that stands in place of a file. */
  async moveAside(
    path: string,
    what: { root: string; file: string; reason: QuarantineReason; message: string; time: number },
  ): Promise<QuarantinedFile> {
    const kept = this.#place(what, String(what.time));
    await this.#makeDirectory();
    await this.#files.rename(path, kept);
    return this.#note(kept, what);
  }

  /** Returns everything in quarantine that was not removed since. Unreadable notes are left out. */
  async list(): Promise<QuarantinedFile[]> {
    await requireFolder(this.#files, this.#directory);
    const names = await this.#files.list(this.#directory).catch((error: unknown) => {
      if (failedWith(error, 'ENOENT')) return [];
      throw error;
    });
    const found: QuarantinedFile[] = [];
    for (const name of names.filter((other) => other.endsWith(noteEnd)).sort()) {
      const note = readNote(await this.#files.read(join(this.#directory, name)));
      if (note !== undefined) found.push({ ...note, kept: join(this.#directory, name.slice(0, -noteEnd.length)) });
    }
    return found;
  }

  async #makeDirectory(): Promise<void> {
    await requireFolder(this.#files, this.#directory);
    await makeDirectory(this.#files, this.#directory);
  }

  async #note(
    kept: string,
    what: { file: string; reason: QuarantineReason; message: string; time: number },
  ): Promise<QuarantinedFile> {
    const { file, reason, message } = what;
    const note = { file, reason, message, time: new Date(what.time).toISOString() };
    await this.#write(`${kept}${noteEnd}`, Buffer.from(JSON.stringify(note, undefined, 2)));
    return { ...note, kept };
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    await writeDurably(this.#files, { path, temporary: `${path}${temporaryEnd}`, bytes });
  }

  #place({ root, file }: { root: string; file: string }, mark: string): string {
    return join(this.#directory, `${root}.${basename(file, '.json')}.${mark}.json`);
  }
}

/** The end of the name of the note beside a quarantined file. */
export const noteEnd = '.note.json';

function readNote(bytes: Uint8Array): Omit<QuarantinedFile, 'kept'> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isPlainObject(value)) return undefined;
    const { file, reason, message, time } = value;
    if (typeof file !== 'string' || typeof message !== 'string' || typeof time !== 'string' || !isReason(reason))
      return undefined;
    return { file, reason, message, time };
  } catch {
    return undefined;
  }
}

const reasons: readonly QuarantineReason[] = [
  'json-invalid',
  'format-newer',
  'shape-invalid',
  'not-a-file',
  'damaged',
  'unreadable-changes',
  'not-editable',
  'refused',
];

function isReason(value: unknown): value is QuarantineReason {
  return reasons.some((reason) => reason === value);
}

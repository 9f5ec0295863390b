import { dirname, join } from 'node:path';
import { failedWith, makeDirectory, renameTemporary, writeTemporary } from '@loom/stores/disk';
import type { FileIntake } from '../intake/file-intake.ts';
import type { FileEntry } from '../file-ledger.ts';
import { sumOf } from '../file-ledger.ts';
import { temporaryEnd } from '../file-names.ts';
import { requireFolder } from '../node-files-port.ts';
import type { FileStamp, NodeFilesPort } from '../node-files-port.ts';

/** The outcome of writing a file. */
export type Replaced =
  | { type: 'written'; file: Pick<FileEntry, 'sum' | 'size' | 'mtime'>; wasMissing: boolean }
  /** Edits that were in it are in the log now: the content to write is no longer the newest. */
  | { type: 'again' }
  /** Another program may still be writing it. */
  | { type: 'wait' }
  /** The present file is of a newer format, and stays. */
  | { type: 'left' };

export interface FileReplacementOptions {
  files: NodeFilesPort;
  /** Of the root. */
  folder: string;
  intake: FileIntake;
  /** Returns true if an edit was merged from a file with this last written state. */
  isEditedSince: (name: string, entry: FileEntry) => boolean;
  /** True if a file that is not JSON may be given time. */
  patient: boolean;
}

/** Replaces files of one root, one batch of them. Other programs' edits of a file are merged before it is replaced. */
export class FileReplacement {
  readonly #options: FileReplacementOptions;
  readonly #folders = new Set<string>();
  /** Paths that are known to be folders, not links, for this batch. */
  readonly #required = new Map<string, Promise<void>>();

  constructor(options: FileReplacementOptions) {
    this.#options = options;
  }

  async replace(name: string, bytes: Uint8Array, entry: FileEntry | undefined): Promise<Replaced> {
    const { files, folder } = this.#options;
    const path = join(folder, name);
    await this.#require(folder);
    await this.#require(dirname(path));
    const sum = sumOf(bytes);
    const before = await this.#examine(name, path, sum, entry);
    if (before.type !== 'free') return before;
    const temporary = `${path}${temporaryEnd}`;
    await this.#writeTemporary(temporary, bytes);
    const stamp = await files.stamp(temporary);
    // Writing takes a while, in which an editor may have saved the file.
    if (!isSameStamp(await files.stamp(path), before.stamp)) {
      const after = await this.#examine(name, path, sum, entry);
      if (after.type !== 'free') {
        await files.remove(temporary);
        return after;
      }
    }
    await renameTemporary(files, temporary, path);
    this.#folders.add(dirname(path));
    const { size, mtime } = stamp ?? { size: bytes.length, mtime: 0 };
    return { type: 'written', file: { sum, size, mtime }, wasMissing: before.stamp === undefined };
  }

  /** Makes all replaced files durable: one sync for all files of a folder. */
  async settle(): Promise<void> {
    for (const folder of this.#folders) await this.#options.files.syncDirectory(folder);
  }

  #require(folder: string): Promise<void> {
    const required = this.#required.get(folder) ?? requireFolder(this.#options.files, folder);
    this.#required.set(folder, required);
    return required;
  }

  async #examine(
    name: string,
    path: string,
    sum: string,
    entry: FileEntry | undefined,
  ): Promise<Replaced | { type: 'free'; stamp: FileStamp | undefined }> {
    const { files, intake, patient, isEditedSince } = this.#options;
    const stamp = await files.stamp(path);
    if (stamp === undefined) return { type: 'free', stamp };
    if (stamp.kind !== 'file') {
      await intake.moveAside(name, path);
      this.#folders.add(dirname(path));
      return { type: 'free', stamp: undefined };
    }
    const present = await files.read(path);
    const presentSum = sumOf(present);
    if (presentSum === sum) {
      this.#folders.add(dirname(path));
      return { type: 'written', file: { sum, size: stamp.size, mtime: stamp.mtime }, wasMissing: false };
    }
    const isOwn = presentSum === entry?.sum && !isEditedSince(name, entry);
    const intakeResult = isOwn ? 'replace' : await intake.take({ name, bytes: present, stamp, entry }, patient);
    switch (intakeResult) {
      case 'merged':
        return { type: 'again' };
      case 'wait':
        return { type: 'wait' };
      case 'newer':
        return { type: 'left' };
      case 'replace':
      case 'keep':
      case 'unknown':
        return { type: 'free', stamp };
    }
  }

  async #writeTemporary(temporary: string, bytes: Uint8Array): Promise<void> {
    const { files } = this.#options;
    try {
      await writeTemporary(files, temporary, bytes);
    } catch (error) {
      if (!failedWith(error, 'ENOENT')) throw error;
      await makeDirectory(files, dirname(temporary));
      await writeTemporary(files, temporary, bytes);
    }
  }
}

/** Returns the exact bytes written for a value. */
export function toJsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value, undefined, 2));
}

/** Returns true if a file is the one that was examined before. */
function isSameStamp(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  return a?.size === b?.size && a?.mtime === b?.mtime && a?.kind === b?.kind;
}

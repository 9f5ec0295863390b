import { dirname, join } from 'node:path';
import type { ByteRange, FinishedBlob, Spool } from '@loom/kernel/store';
import { checksum } from '../disk/checksum.ts';
import { makeDirectory, writeDurably } from '../disk/durable-files.ts';
import { decodeName, encodeName } from '../disk/encoded-name.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith } from '../disk/files-port.ts';
import { Turns } from '../turns.ts';
import { blobHash } from './blob-id.ts';
import type { PieceSums } from './piece-sums.ts';
import { refuseLink } from './refused-link.ts';
import { SpoolFile } from './spool-file.ts';
import type { SpoolPaths } from './spool-file.ts';
import { checkSpoolName } from './spool-name.ts';
import { readStretches } from './spool-stretches.ts';
import type { OpenWriters } from './writer-calls.ts';

/** The collaborators of spools, among them the blobs that they become. */
export interface SpoolFilesParts {
  files: FilesPort;
  directory: string;
  /** Puts a finished file in the place of a blob, durably. */
  place: (path: string, id: string, sums: PieceSums) => Promise<void>;
  /** The bytes of a blob that must be there. */
  readBlob: (id: string, range?: ByteRange) => Promise<Uint8Array>;
  holdsBlob: (id: string) => Promise<boolean>;
}

/**
 * Spools as files that are named after them and numbered by their writers. A writer that opens a spool copies the existing bytes under the
 * next number and removes the original: so an earlier writer, which may still have its files open, cannot touch what later ones have.
 */
export class SpoolFiles {
  readonly #parts: SpoolFilesParts;
  readonly #turns = new Turns();

  constructor(parts: SpoolFilesParts) {
    this.#parts = parts;
  }

  async open(name: string, writers: OpenWriters): Promise<Spool> {
    checkSpoolName(name);
    return this.#turns.run(() =>
      this.#open(name, writers).catch((error: unknown) => {
        throw fileFailure(error, `could not open the spool ${name}`);
      }),
    );
  }

  async names(): Promise<string[]> {
    const entries = await this.#entries().catch((error: unknown) => {
      throw fileFailure(error, 'could not list the spools');
    });
    return [...new Set(entries.filter(({ part }) => part !== 'sums').map(({ name }) => name))].sort();
  }

  /** The blobs of spools that are finished and not dropped: the change that cites one may still have to be written. */
  async blobs(): Promise<Set<string>> {
    const notes = (await this.#entries()).filter(({ part }) => part === 'finished');
    const found = await Promise.all(
      notes.map(({ name, number }) => this.#readFinished(this.#paths(name, number).finished).catch(noneIfMissing)),
    );
    return new Set(found.flatMap((blob) => blob?.id ?? []));
  }

  async #open(name: string, writers: OpenWriters): Promise<Spool> {
    const { files, directory, readBlob } = this.#parts;
    await makeDirectory(files, directory);
    // A file that a killed process has removed must not come back after a power cut.
    await files.syncDirectory(directory);
    const entries = (await this.#entries()).filter((entry) => entry.name === name);
    const numbers = [...new Set(entries.map(({ number }) => number))].sort((a, b) => a - b);
    const left = await this.#findLeft(name, entries, numbers);
    if (left?.blob !== undefined) return finishedSpool(name, left.blob, readBlob, () => this.#remove([left.paths]));
    const paths = this.#paths(name, (numbers.at(-1) ?? 0) + 1);
    const spool = await SpoolFile.create({
      name,
      files,
      paths,
      writers,
      readBlob,
      syncDirectory: () => files.syncDirectory(directory),
      finish: (id, sums) => this.#finish(paths, id, sums),
      remove: () => this.#remove([paths]),
    });
    if (left === undefined) return spool;
    try {
      for await (const stretch of readStretches(files, left.paths)) await spool.append(stretch);
      await spool.sync();
    } catch (error) {
      await spool.drop().catch(() => undefined);
      throw error;
    }
    await this.#remove(numbers.map((older) => this.#paths(name, older)));
    return spool;
  }

  /** The files of an earlier writer that hold the most: a crash may have left copies that are not complete. */
  async #findLeft(name: string, entries: readonly Entry[], numbers: readonly number[]): Promise<LeftSpool | undefined> {
    let most: (LeftSpool & { size: number }) | undefined;
    for (const number of numbers) {
      const paths = this.#paths(name, number);
      const parts = new Set(entries.filter((entry) => entry.number === number).map(({ part }) => part));
      const blob = parts.has('bytes') || !parts.has('finished') ? undefined : await this.#readFinished(paths.finished);
      let size = blob?.bytes ?? 0;
      if (parts.has('bytes')) {
        for await (const stretch of readStretches(this.#parts.files, paths)) size += stretch.length;
      }
      if (size >= (most?.size ?? 0)) most = { paths, blob, size };
    }
    return most;
  }

  /** Finishes a spool. The note comes first: whenever a crash comes, the file is still a spool or can be found as a blob. */
  async #finish(paths: SpoolPaths, id: string, sums: PieceSums): Promise<void> {
    const { files, directory, place } = this.#parts;
    const note = `${id} ${sums.bytes}`;
    const bytes = new TextEncoder().encode(`${checksum(note)} ${note}\n`);
    await writeDurably(files, { path: paths.finished, bytes });
    await place(paths.bytes, id, sums);
    await files.remove(paths.sums).catch(ignoreMissing);
    await files.syncDirectory(directory);
  }

  async #readFinished(path: string): Promise<FinishedBlob | undefined> {
    const text = new TextDecoder().decode(await this.#parts.files.read(path));
    const [, sum, note, id = '', bytes] = /^([0-9a-f]{8}) ((\S+) (\d+))\n$/u.exec(text) ?? [];
    if (note === undefined || checksum(note) !== sum || blobHash(id) === undefined) return undefined;
    return (await this.#parts.holdsBlob(id)) ? { id, bytes: Number(bytes) } : undefined;
  }

  async #remove(spools: readonly SpoolPaths[]): Promise<void> {
    if (spools.length === 0) return;
    const { files, directory } = this.#parts;
    try {
      for (const { bytes, sums, finished } of spools) {
        for (const path of [bytes, finished, sums]) await files.remove(path).catch(ignoreMissing);
      }
      await files.syncDirectory(directory);
    } catch (error) {
      throw fileFailure(error, 'could not remove a spool');
    }
  }

  async #entries(): Promise<Entry[]> {
    const { files, directory } = this.#parts;
    for (const path of [dirname(directory), directory]) refuseLink(files, path);
    const found = await files.list(directory).catch((error: unknown) => {
      if (failedWith(error, 'ENOENT')) return [];
      throw error;
    });
    return found.flatMap((file) => {
      const [, encoded = '', number, part = ''] = /^(.+)\.(\d+)\.(bytes|sums|finished)$/u.exec(file) ?? [];
      const name = decodeName(encoded);
      return number !== undefined && encodeName(name) === encoded ? [{ name, number: Number(number), part }] : [];
    });
  }

  #paths(name: string, number: number): SpoolPaths {
    const base = join(this.#parts.directory, `${encodeName(name)}.${number}`);
    return { bytes: `${base}.bytes`, sums: `${base}.sums`, finished: `${base}.finished` };
  }
}

/** A spool that an earlier process has finished, and not dropped. */
function finishedSpool(
  name: string,
  blob: FinishedBlob,
  readBlob: SpoolFilesParts['readBlob'],
  drop: () => Promise<void>,
): Spool {
  return {
    size: blob.bytes,
    append: () => Promise.reject(new TypeError(`the spool ${name} is finished`)),
    sync: () => Promise.resolve(),
    read: (range) => readBlob(blob.id, range),
    finish: () => Promise.resolve({ ...blob }),
    drop,
  };
}

interface Entry {
  name: string;
  number: number;
  part: string;
}

interface LeftSpool {
  paths: SpoolPaths;
  /** The blob it has become, if it was finished. */
  blob: FinishedBlob | undefined;
}

function noneIfMissing(error: unknown): undefined {
  ignoreMissing(error);
}

function ignoreMissing(error: unknown): void {
  if (!failedWith(error, 'ENOENT')) throw error;
}

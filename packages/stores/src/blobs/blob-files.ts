import { join } from 'node:path';
import type { BlobSweep, BlobWriter, ByteRange, Spool, SweptBlobs } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { exchangeFile, makeDirectory, writeTemporary } from '../disk/durable-files.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith } from '../disk/files-port.ts';
import { sweepTemporaries, temporaryName } from '../disk/temporary-name.ts';
import { BlobFileWriter } from './blob-file-writer.ts';
import { blobHash, blobId } from './blob-id.ts';
import { checkLeaseTime } from '../append-verdict.ts';
import { boundsOf } from './byte-range.ts';
import { NamedBlobs } from './named-blobs.ts';
import type { PieceSums } from './piece-sums.ts';
import { matchesPieces, pieceBytes, RunningSums } from './piece-sums.ts';
import { RecentSums } from './recent-sums.ts';
import { refuseLink } from './refused-link.ts';
import { SpoolFiles } from './spool-files.ts';
import { nameAside, sweepBlobFiles } from './swept-blobs.ts';
import type { OpenWriters } from './writer-calls.ts';

/** Blobs as files that are named by the hash of their contents. */
export class BlobFiles {
  readonly #directory: string;
  readonly #files: FilesPort;
  readonly #spools: SpoolFiles;
  readonly #known = new RecentSums();
  readonly #now: () => number;
  readonly named = new NamedBlobs();
  #making: Promise<void> | undefined;
  #isSwept = false;

  constructor(directory: string, files: FilesPort, now: () => number = Date.now) {
    this.#now = now;
    this.#directory = directory;
    this.#files = files;
    this.#spools = new SpoolFiles({
      files,
      directory: join(directory, 'spools'),
      place: (path, id, sums) => this.#place(path, id, sums),
      holdsBlob: (id) => this.#holds(id),
      readBlob: async (id, range = {}) => (await this.get(id, range)) ?? missing(id),
    });
  }

  async put(bytes: Uint8Array): Promise<string> {
    // The caller may change its array while the file is written.
    const own = Uint8Array.from(bytes);
    const id = blobId(own);
    try {
      await this.#keep(id, own);
    } catch (error) {
      throw fileFailure(error, `could not write the blob ${id}`);
    }
    return id;
  }

  /** Rejects with `store-corrupt` rather than hand out other bytes than were put. */
  async get(id: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    if (range !== undefined) boundsOf(range, 0);
    try {
      if (range !== undefined) return await this.#getRange(id, range);
      const bytes = await this.#read(id);
      if (bytes === undefined || blobId(bytes) === id) return bytes;
    } catch (error) {
      throw fileFailure(error, `could not read the blob ${id}`);
    }
    throw damaged(id);
  }

  /** The length of a blob that is not damaged. */
  async size(id: string): Promise<number | undefined> {
    try {
      return (await this.#sumsOf(id))?.bytes;
    } catch (error) {
      throw fileFailure(error, `could not read the blob ${id}`);
    }
  }

  /** Begins a blob that comes in pieces; it ends with the handle that it belongs to. */
  async create(writers: OpenWriters): Promise<BlobWriter> {
    try {
      await this.#prepare();
      const path = temporaryName(join(this.#directory, 'blob'));
      const place = (from: string, id: string, sums: PieceSums): Promise<void> => this.#place(from, id, sums);
      return await BlobFileWriter.create({ files: this.#files, path, place, writers });
    } catch (error) {
      throw fileFailure(error, 'could not begin a blob');
    }
  }

  /** Removes blobs that are not needed. */
  async sweep(request: BlobSweep): Promise<SweptBlobs> {
    const { unusedFor, isCited } = request;
    checkLeaseTime(unusedFor);
    try {
      // Files behind a link are not Loom's to remove.
      if (this.#files.isLink?.(this.#directory) === true) return { blobs: 0, bytes: 0 };
      const [files, directory, named, now] = [this.#files, this.#directory, this.named, this.#now()];
      const spooled = await this.#spools.blobs();
      const isNeeded = async (id: string): Promise<boolean> => spooled.has(id) || isCited(id);
      return await sweepBlobFiles({ files, directory, named, now, unusedFor, isCited: isNeeded });
    } catch (error) {
      throw fileFailure(error, 'could not sweep the blobs');
    }
  }

  /** Begins or continues a spool; its files are closed with the handle that it belongs to. */
  openSpool(name: string, writers: OpenWriters): Promise<Spool> {
    return this.#spools.open(name, writers);
  }

  spoolNames(): Promise<string[]> {
    return this.#spools.names();
  }

  async #keep(id: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(id);
    if (path === undefined) throw new TypeError(`${id} is not a blob id`);
    await this.#prepare();
    const present = await this.#read(id);
    // A damaged file is replaced: these are the bytes that it has lost.
    const isPresent = present !== undefined && blobId(present) === id && (await this.#touch(path));
    if (!isPresent) {
      const temporary = temporaryName(path);
      await exchangeFile(this.#files, { path, temporary }, async () => {
        await writeTemporary(this.#files, temporary, bytes);
        // Before it has its name, so that it is not swept at once where the store's clock is another one than the system's.
        return this.#touch(temporary);
      });
    } else {
      // Another process may have written it a moment ago and not have synced the directory yet.
      await this.#files.syncDirectory(this.#directory);
    }
  }

  /** A finished file takes the name of its blob, also from one that is there and may be damaged. */
  async #place(from: string, id: string, sums: PieceSums): Promise<void> {
    await this.#touch(from);
    await this.#files.rename(from, this.#path(id) ?? missing(id));
    await this.#files.syncDirectory(this.#directory);
    this.#known.add(id, sums);
  }

  /** Keeps a blob from being swept for a while. False if it has just been. */
  async #touch(path: string): Promise<boolean> {
    try {
      await this.#files.touch(path, this.#now());
      return true;
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return false;
      throw error;
    }
  }

  /** Reads only the pieces that the range is in, once this process has checked the whole blob. */
  async #getRange(id: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const sums = await this.#sumsOf(id);
    const path = this.#path(id);
    if (sums === undefined || path === undefined) return undefined;
    const { start, end } = boundsOf(range, sums.bytes);
    const firstPiece = Math.floor(start / pieceBytes);
    const from = firstPiece * pieceBytes;
    const to = Math.min(Math.ceil(end / pieceBytes) * pieceBytes, sums.bytes);
    refuseLink(this.#files, this.#directory);
    const bytes = await this.#readFile(path, from, Math.max(from, to));
    if (bytes === undefined) return undefined;
    if (bytes.length === Math.max(0, to - from) && matchesPieces(sums, bytes, firstPiece)) {
      return bytes.subarray(start - from, end - from);
    }
    throw damaged(id);
  }

  async #sumsOf(id: string): Promise<PieceSums | undefined> {
    const path = this.#path(id);
    if (path === undefined) return undefined;
    return this.#known.get(id) ?? this.#check(id, path);
  }

  async #check(id: string, path: string): Promise<PieceSums | undefined> {
    refuseLink(this.#files, this.#directory);
    const running = new RunningSums();
    for (;;) {
      const bytes = await this.#readFile(path, running.bytes, running.bytes + checkedAtOnce);
      if (bytes === undefined) return undefined;
      running.add(bytes);
      if (bytes.length < checkedAtOnce) break;
    }
    const { id: found, sums } = running.finish();
    if (found !== id) throw damaged(id);
    this.#known.add(id, sums);
    return sums;
  }

  /** The directory, without what killed processes have left unfinished in it. */
  async #prepare(): Promise<void> {
    refuseLink(this.#files, this.#directory);
    await this.#makeDirectory();
    if (this.#isSwept) return;
    this.#isSwept = true;
    await sweepTemporaries(this.#directory, this.#files).catch(() => undefined);
  }

  /**
   * Makes the directory once for all puts of a moment: a put that found the directory there could otherwise overtake the one that makes it
   * durable.
   */
  #makeDirectory(): Promise<void> {
    this.#making ??= makeDirectory(this.#files, this.#directory).finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #holds(id: string): Promise<boolean> {
    const path = this.#path(id);
    return path !== undefined && (await this.#readFile(path, 0, 1)) !== undefined;
  }

  async #read(id: string): Promise<Uint8Array | undefined> {
    const path = this.#path(id);
    if (path === undefined) return undefined;
    refuseLink(this.#files, this.#directory);
    return this.#readFile(path);
  }

  /** Reads a file, also while it may be about to be swept. */
  async #readFile(path: string, from?: number, to?: number): Promise<Uint8Array | undefined> {
    const bytes = await orMissing(this.#files.read(path, from, to));
    if (bytes !== undefined) return bytes;
    const aside = await orMissing(this.#files.read(nameAside(path), from, to));
    // In between it may have been put back.
    return aside ?? orMissing(this.#files.read(path, from, to));
  }

  #path(id: string): string | undefined {
    const hash = blobHash(id);
    return hash && join(this.#directory, hash);
  }
}

const checkedAtOnce = 1024 * 1024;

async function orMissing(reading: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function missing(id: string): never {
  throw new StoreError('store-corrupt', `the blob ${id} is gone`, 'Restore it from a backup.');
}

function damaged(id: string): StoreError {
  return new StoreError(
    'store-corrupt',
    `the blob ${id} is damaged: its bytes do not match its hash`,
    `Restore blobs/${blobHash(id)} from a backup.`,
  );
}

import { join } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import { blobHash, blobId } from './blob-id.ts';
import { makeDirectory, writeDurably } from './disk/durable-files.ts';
import { fileFailure } from './disk/file-failure.ts';
import type { FilesPort } from './disk/files-port.ts';
import { failedWith } from './disk/files-port.ts';
import { temporaryName } from './disk/temporary-name.ts';

/** Blobs as files that are named by the hash of what is in them. */
export class BlobFiles {
  readonly #directory: string;
  readonly #files: FilesPort;
  #making: Promise<void> | undefined;

  constructor(directory: string, files: FilesPort) {
    this.#directory = directory;
    this.#files = files;
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
  async get(id: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#read(id).catch((error: unknown) => {
      throw fileFailure(error, `could not read the blob ${id}`);
    });
    if (bytes === undefined || blobId(bytes) === id) return bytes;
    throw new StoreError(
      'store-corrupt',
      `the blob ${id} is damaged: its bytes do not match its hash`,
      `Restore blobs/${blobHash(id)} from a backup.`,
    );
  }

  async #keep(id: string, bytes: Uint8Array): Promise<void> {
    this.#refuseLink();
    const path = this.#path(id);
    if (path === undefined) throw new TypeError(`${id} is not a blob id`);
    await this.#makeDirectory();
    const present = await this.#read(id);
    // A damaged file is replaced: these are the bytes that it has lost.
    if (present === undefined || blobId(present) !== id) {
      await writeDurably(this.#files, { path, temporary: temporaryName(path), bytes });
    } else {
      // Another process may have written it a moment ago, and not come to this yet.
      await this.#files.syncDirectory(this.#directory);
    }
  }

  /** One for all puts of a moment: a put that found the directory there could otherwise overtake the one that makes it durable. */
  #makeDirectory(): Promise<void> {
    this.#making ??= makeDirectory(this.#files, this.#directory).finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #read(id: string): Promise<Uint8Array | undefined> {
    const path = this.#path(id);
    if (path === undefined) return undefined;
    this.#refuseLink();
    try {
      return await this.#files.read(path);
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  /** What lies behind a link is not Loom's to read or write. */
  #refuseLink(): void {
    if (this.#files.isLink?.(this.#directory) !== true) return;
    const message = `${this.#directory} is a link, and links are not followed`;
    throw new StoreError('store-corrupt', message, 'Put a real folder with its blobs in its place.');
  }

  #path(id: string): string | undefined {
    const hash = blobHash(id);
    return hash && join(this.#directory, hash);
  }
}

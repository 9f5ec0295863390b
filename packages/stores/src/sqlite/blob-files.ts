import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '@loom/kernel';
import { blobHash, blobId } from '../blob-id.ts';
import { makeDirectory, syncDirectory, writeDurably } from './durable-files.ts';
import { fileFailure } from './failures.ts';

/** Blobs as files that are named by the hash of what is in them. */
export class BlobFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
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
      `the blob ${id} is damaged: its bytes have another hash`,
      `Restore blobs/${blobHash(id)} from a backup.`,
    );
  }

  async #keep(id: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(id);
    if (path === undefined) throw new TypeError(`${id} is no blob id`);
    await makeDirectory(this.#directory);
    const present = await this.#read(id);
    // A damaged file is replaced: these are the bytes that it has lost.
    if (present === undefined || blobId(present) !== id) {
      await writeDurably(path, `${path}.${randomUUID()}.tmp`, bytes);
    } else {
      // Somebody else may have written it a moment ago, and not come to this yet.
      await syncDirectory(this.#directory);
    }
  }

  async #read(id: string): Promise<Uint8Array | undefined> {
    const path = this.#path(id);
    if (path === undefined) return undefined;
    try {
      return new Uint8Array(await readFile(path));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #path(id: string): string | undefined {
    const hash = blobHash(id);
    return hash && join(this.#directory, hash);
  }
}

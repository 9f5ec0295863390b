import { createHash, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BlobWriter, FinishedBlob } from '@loom/kernel/store';
import { blobIdOf } from '../../blobs/blob-id.ts';
import { WriterCalls } from '../../blobs/writer-calls.ts';
import type { OpenWriters } from '../../blobs/writer-calls.ts';
import { closedStore } from '../../closed-store.ts';
import type { Database } from '../database.ts';
import { pieceBytes } from './piece-reading.ts';

/** Writes a blob as pieces of its own, which become the blob's when its hash is known. */
export class PostgresBlobWriter implements BlobWriter {
  readonly #database: Database;
  readonly #owner: string;
  readonly #hash = createHash('sha256');
  readonly #calls: WriterCalls;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #written = 0;
  #isPlaced = false;
  #finishing: Promise<FinishedBlob> | undefined;

  private constructor(database: Database, owner: string, writers: OpenWriters) {
    this.#database = database;
    this.#owner = owner;
    this.#calls = new WriterCalls(async () => {
      writers.delete(this);
      if (!this.#isPlaced) await dropUpload(database, owner);
    });
    writers.add(this);
  }

  static async create(database: Database, writers: OpenWriters): Promise<PostgresBlobWriter> {
    const owner = randomUUID();
    // From now on a sweep finds the pieces, should this process be killed.
    await database.rows('INSERT INTO loom.uploads (owner, since) VALUES ($1, loom.now_ms())', [owner]);
    return new PostgresBlobWriter(database, owner, writers);
  }

  write(bytes: Uint8Array): Promise<void> {
    const own = bytes.slice();
    return this.#calls.run(async () => {
      this.#hash.update(own);
      this.#waiting.push(own);
      this.#waitingBytes += own.length;
      while (this.#waitingBytes >= pieceBytes) await this.#writePiece(pieceBytes);
    });
  }

  finish(): Promise<FinishedBlob> {
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  abandon(): Promise<void> {
    return this.#calls.end(new TypeError('this blob was abandoned'));
  }

  close(): Promise<void> {
    return this.#calls.end(closedStore());
  }

  async #finish(): Promise<FinishedBlob> {
    const blob = await this.#calls.run(async () => {
      if (this.#waitingBytes > 0) await this.#writePiece(this.#waitingBytes);
      const id = blobIdOf(this.#hash);
      await this.#database.rows('SELECT loom.place_blob($1, $2, $3)', [this.#owner, hashBytes(id), this.#written]);
      this.#isPlaced = true;
      return { id, bytes: this.#written };
    });
    await this.#calls.end(new TypeError('this blob is finished'));
    return blob;
  }

  async #writePiece(length: number): Promise<void> {
    const all = Buffer.concat(this.#waiting, this.#waitingBytes);
    const piece = all.subarray(0, length);
    this.#waiting = [all.subarray(length)];
    this.#waitingBytes -= length;
    await this.#database.rows(insertPiece, [this.#owner, this.#written, piece.length, crc32(piece), piece]);
    this.#written += piece.length;
  }
}

/** The hash in an id that names a blob, as bytes. */
export function hashBytes(id: string): Buffer {
  return Buffer.from(id.slice('sha256:'.length), 'hex');
}

/** Removes the pieces of a blob that was not finished. */
export async function dropUpload(database: Database, owner: string): Promise<void> {
  await database.rows(
    `WITH gone AS (DELETE FROM loom.uploads WHERE owner = $1 RETURNING owner)
     DELETE FROM loom.pieces USING gone WHERE loom.pieces.owner = gone.owner`,
    [owner],
  );
}

const insertPiece = 'INSERT INTO loom.pieces (owner, start, size, sum, bytes) VALUES ($1, $2, $3, $4, $5)';

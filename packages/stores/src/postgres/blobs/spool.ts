import { createHash, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ByteRange, FinishedBlob, Spool } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { blobIdOf } from '../../blobs/blob-id.ts';
import { boundsOf } from '../../blobs/byte-range.ts';
import { WriterCalls } from '../../blobs/writer-calls.ts';
import type { OpenWriters } from '../../blobs/writer-calls.ts';
import { closedStore } from '../../closed-store.ts';
import { boundKey } from '../bounded-key.ts';
import type { Database } from '../database.ts';
import { hashBytes } from './blob-writing.ts';
import { pieceBytes, piecesOf, readPieces } from './piece-reading.ts';

export interface SpoolParts {
  database: Database;
  name: string;
  readBlob: (id: string, range: ByteRange) => Promise<Uint8Array>;
  writers: OpenWriters;
}

/** A spool that is being written through this handle: rows of pieces, of which each commit adds one. */
export class PostgresSpool implements Spool {
  readonly #parts: SpoolParts;
  readonly #key: Buffer;
  readonly #writer: string;
  readonly #owner: string;
  readonly #hash = createHash('sha256');
  readonly #calls: WriterCalls;
  #size: number;
  /** The bytes of acknowledged appends. */
  #written: number;
  #waiting: Uint8Array[] = [];
  #isClosed = false;
  #finishing: Promise<FinishedBlob> | undefined;
  #finished: FinishedBlob | undefined;

  private constructor(parts: SpoolParts, key: Buffer, writer: string, row: SpoolRow) {
    this.#parts = parts;
    this.#key = key;
    this.#writer = writer;
    this.#owner = row.owner;
    this.#size = row.size;
    this.#written = row.size;
    if (row.blob !== null) {
      this.#finished = { id: `sha256:${row.blob.toString('hex')}`, bytes: row.size };
      this.#finishing = Promise.resolve(this.#finished);
    }
    this.#calls = new WriterCalls(async () => void parts.writers.delete(this));
    parts.writers.add(this);
  }

  static async open(parts: SpoolParts): Promise<PostgresSpool> {
    const { key, whole } = boundKey(parts.name);
    const writer = randomUUID();
    const [row] = await parts.database.rows<SpoolRow>(
      `INSERT INTO loom.spools AS s (name, whole, writer, owner, size) VALUES ($1, $2, $3, $4, 0)
       ON CONFLICT (name) DO UPDATE SET writer = excluded.writer
       RETURNING s.owner, s.size::double precision AS size, s.blob`,
      [key, whole, writer, randomUUID()],
    );
    if (row === undefined) throw new Error('a spool was not opened');
    const spool = new PostgresSpool(parts, key, writer, row);
    if (row.blob === null) await spool.#hashWhatIsThere();
    return spool;
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.#finishing !== undefined) throw new TypeError(`the spool ${this.#parts.name} is finished`);
    this.#size += bytes.length;
    this.#waiting.push(bytes);
    // Appends that come while a commit is under way share the next one.
    await this.#calls.run(() => this.#write());
  }

  sync(): Promise<void> {
    return this.#calls.run(() => this.#write());
  }

  async read(range: ByteRange = {}): Promise<Uint8Array> {
    const bounds = boundsOf(range, this.#size);
    return this.#calls.look(async () => {
      const { database, readBlob } = this.#parts;
      if (this.#finished !== undefined) return readBlob(this.#finished.id, bounds);
      return readPieces(database, this.#owner, { start: bounds.start, end: Math.min(bounds.end, this.#written) });
    });
  }

  finish(): Promise<FinishedBlob> {
    this.#finishing ??= this.#finish();
    return this.#finishing.then((blob) => {
      if (this.#isClosed) throw closedStore();
      return blob;
    });
  }

  async drop(): Promise<void> {
    if (this.#isClosed) throw closedStore();
    await this.#calls.end(new TypeError(`the spool ${this.#parts.name} was dropped`));
    await this.#parts.database.rows('SELECT loom.drop_spool($1, $2)', [this.#key, this.#writer]);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#calls.end(closedStore());
  }

  #finish(): Promise<FinishedBlob> {
    return this.#calls.run(async () => {
      await this.#write();
      const id = blobIdOf(this.#hash);
      const [row] = await this.#parts.database.rows<{ is_done: boolean }>(
        'SELECT loom.finish_spool($1, $2, $3) AS is_done',
        [this.#key, this.#writer, hashBytes(id)],
      );
      if (row?.is_done !== true) throw this.#takenOver();
      this.#finished = { id, bytes: this.#written };
      return this.#finished;
    });
  }

  /** Commits all bytes that wait, by the megabyte. */
  async #write(): Promise<void> {
    const all = Buffer.concat(this.#waiting);
    this.#waiting = [];
    for (let from = 0; from < all.length; from += pieceBytes) {
      const piece = all.subarray(from, from + pieceBytes);
      const values = [this.#key, this.#writer, this.#written, crc32(piece), piece];
      const [row] = await this.#parts.database.rows<{ is_done: boolean }>(
        'SELECT loom.grow_spool($1, $2, $3, $4, $5) AS is_done',
        values,
      );
      if (row?.is_done !== true) throw this.#takenOver();
      this.#hash.update(piece);
      this.#written += piece.length;
    }
  }

  async #hashWhatIsThere(): Promise<void> {
    const { database } = this.#parts;
    for await (const { bytes } of piecesOf(database, this.#owner, { start: 0, end: this.#written })) {
      this.#hash.update(bytes);
    }
  }

  #takenOver(): StoreError {
    return new StoreError(
      'store-failed',
      `the spool ${this.#parts.name} was opened by another process, or dropped`,
      'That process goes on with it. Nothing of what it has was changed.',
    );
  }
}

type SpoolRow = { owner: string; size: number; blob: Buffer | null };

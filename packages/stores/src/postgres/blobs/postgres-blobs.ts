import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BlobSweep, BlobWriter, ByteRange, Spool, SweptBlobs } from '@loom/kernel/store';
import { checkLeaseTime } from '../../append-verdict.ts';
import { blobHash, blobId } from '../../blobs/blob-id.ts';
import { boundsOf } from '../../blobs/byte-range.ts';
import { NamedBlobs } from '../../blobs/named-blobs.ts';
import { checkSpoolName } from '../../blobs/spool-name.ts';
import type { OpenWriters } from '../../blobs/writer-calls.ts';
import { textOfKey } from '../bounded-key.ts';
import type { Database } from '../database.ts';
import { dropUpload, hashBytes, PostgresBlobWriter } from './blob-writing.ts';
import { pieceBytes, readPieces } from './piece-reading.ts';
import { PostgresSpool } from './spool.ts';

/** Blobs and spools as rows of pieces. */
export class PostgresBlobs {
  readonly #database: Database;
  readonly named = new NamedBlobs();

  constructor(database: Database) {
    this.#database = database;
  }

  async put(bytes: Uint8Array, writers: OpenWriters): Promise<string> {
    const own = Buffer.from(bytes);
    if (own.length > pieceBytes) return this.#putLarge(own, writers);
    const id = blobId(own);
    const values = [hashBytes(id), randomUUID(), crc32(own), own];
    await this.#database.rows('SELECT loom.put_blob($1, $2, $3, $4)', values);
    return id;
  }

  async get(id: string, range: ByteRange = {}): Promise<Uint8Array | undefined> {
    boundsOf(range, 0);
    const blob = await this.#find(id);
    return blob && readPieces(this.#database, blob.owner, boundsOf(range, blob.size));
  }

  async size(id: string): Promise<number | undefined> {
    return (await this.#find(id))?.size;
  }

  create(writers: OpenWriters): Promise<BlobWriter> {
    return PostgresBlobWriter.create(this.#database, writers);
  }

  openSpool(name: string, writers: OpenWriters): Promise<Spool> {
    checkSpoolName(name);
    return PostgresSpool.open({
      database: this.#database,
      name,
      readBlob: async (id, range) => (await this.get(id, range)) ?? new Uint8Array(),
      writers,
    });
  }

  async spoolNames(): Promise<string[]> {
    const rows = await this.#database.rows<{ name: Buffer; whole: Buffer | null }>(
      'SELECT name, whole FROM loom.spools',
    );
    return rows.map(({ name, whole }) => textOfKey(name, whole)).sort();
  }

  /** Marks what looks unneeded, looks once more, and removes what nobody has put in between. */
  async sweep({ unusedFor, isCited }: BlobSweep): Promise<SweptBlobs> {
    checkLeaseTime(unusedFor);
    const swept: SweptBlobs = { blobs: 0, bytes: 0 };
    await this.#dropOldUploads();
    const isNeeded = async (id: string): Promise<boolean> => (await isCited(id)) || this.named.has(id);
    const stopNoting = this.named.begin();
    try {
      let after: Buffer = Buffer.of();
      for (;;) {
        const rows = await this.#database.rows<{ hash: Buffer }>(oldBlobs, [after, unusedFor]);
        for (const { hash } of rows) {
          const id = `sha256:${hash.toString('hex')}`;
          const bytes = (await isNeeded(id)) ? undefined : await this.#remove(hash, unusedFor, () => isNeeded(id));
          if (bytes === undefined) continue;
          swept.blobs += 1;
          swept.bytes += bytes;
        }
        const last = rows.at(-1);
        if (last === undefined) return swept;
        after = last.hash;
      }
    } finally {
      stopNoting();
    }
  }

  /** Returns the length of the removed blob; `undefined` if it is needed. */
  async #remove(hash: Buffer, unusedFor: number, isNeeded: () => Promise<boolean>): Promise<number | undefined> {
    const mark = randomUUID();
    const marked = await this.#database.rows(
      'UPDATE loom.blobs SET sweep = $2 WHERE hash = $1 AND put <= loom.now_ms() - $3 RETURNING true',
      [hash, mark, unusedFor],
    );
    if (marked.length === 0 || (await isNeeded())) return undefined;
    const [row] = await this.#database.rows<{ bytes: number | null }>('SELECT loom.remove_blob($1, $2) AS bytes', [
      hash,
      mark,
    ]);
    return row?.bytes ?? undefined;
  }

  /** Removes what killed processes have left. */
  async #dropOldUploads(): Promise<void> {
    const rows = await this.#database.rows<{ owner: string }>(
      'SELECT owner FROM loom.uploads WHERE since <= loom.now_ms() - $1',
      [longestUpload],
    );
    for (const { owner } of rows) await dropUpload(this.#database, owner);
  }

  async #putLarge(bytes: Buffer, writers: OpenWriters): Promise<string> {
    const writer = await PostgresBlobWriter.create(this.#database, writers);
    try {
      await writer.write(bytes);
      return (await writer.finish()).id;
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  async #find(id: string): Promise<{ owner: string; size: number } | undefined> {
    if (blobHash(id) === undefined) return undefined;
    const [row] = await this.#database.rows<{ owner: string; size: number }>(
      'SELECT owner, size::double precision AS size FROM loom.blobs WHERE hash = $1',
      [hashBytes(id)],
    );
    return row;
  }
}

const oldBlobs = `
  SELECT b.hash FROM loom.blobs b WHERE b.hash > $1 AND b.put <= loom.now_ms() - $2
    AND NOT EXISTS (SELECT FROM loom.spools s WHERE s.blob = b.hash)
  ORDER BY b.hash LIMIT 500`;

/** A blob that has been coming for so many milliseconds is not coming any longer. */
const longestUpload = 24 * 60 * 60_000;

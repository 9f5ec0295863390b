import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isReadFormat, walkOrder } from '@loom/kernel/search';
import type { StoredNode } from '@loom/kernel/search';
import { packText, unpackText } from '../../tables/packed-text.ts';
import { aboutOf, makeChunkRow, packAbout } from './chunk-row.ts';
import type { ChunkAbout } from './chunk-row.ts';
import { bytesOf, numberOf, packNumbers, textOf } from '../row-values.ts';
import type { Row } from '../row-values.ts';
import type { CurrentSnapshot, SnapshotReader } from '../snapshot-reader.ts';

/** A log that the index knows as far as its last change. */
export interface CataloguedLog extends CurrentSnapshot {
  /** Its number in the index. */
  log: number;
  /** Of all its texts, in UTF-16 code units. */
  size: number;
}

/** Which blocks there are in the snapshots, where their texts are, and in which order they are answered. */
export class Catalogue {
  readonly #database: DatabaseSync;
  readonly #reader: SnapshotReader;
  readonly #logs: StatementSync;
  readonly #setLog: StatementSync;
  readonly #dropLog: StatementSync;
  readonly #chunks: StatementSync;
  readonly #setChunk: StatementSync;
  readonly #setRanks: StatementSync;
  readonly #dropChunk: StatementSync;
  readonly #dropWords: StatementSync;
  readonly #dataVersion: StatementSync;
  /** What the last refresh has found, and what both databases looked like then. */
  #seen: { version: string; names: ReadonlySet<string>; found: Map<string, CataloguedLog> } = {
    version: '',
    names: new Set(),
    found: new Map(),
  };

  constructor(database: DatabaseSync, reader: SnapshotReader) {
    this.#database = database;
    this.#reader = reader;
    this.#logs = database.prepare('SELECT id, name, epoch, seq, size FROM logs');
    this.#setLog = database.prepare(
      `INSERT INTO logs (name, epoch, seq, size) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (name) DO UPDATE SET epoch = ?2, seq = ?3, size = ?4 RETURNING id`,
    );
    this.#dropLog = database.prepare('DELETE FROM logs WHERE id = ?');
    this.#chunks = database.prepare(
      'SELECT id, key, digest, size, about, ranks, first, stretches FROM chunks WHERE log = ?',
    );
    this.#setChunk = database.prepare(
      `INSERT INTO chunks (log, key, digest, size, kinds, blocks, ranks, about, other) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
       ON CONFLICT (log, key) DO UPDATE
       SET digest = ?3, size = ?4, kinds = ?5, blocks = ?6, ranks = ?7, about = ?8, other = ?9, first = NULL, stretches = NULL`,
    );
    this.#setRanks = database.prepare('UPDATE chunks SET ranks = ? WHERE id = ?');
    this.#dropChunk = database.prepare('DELETE FROM chunks WHERE id = ?');
    this.#dataVersion = database.prepare('PRAGMA data_version');
    this.#dropWords = database.prepare('DELETE FROM trigrams WHERE rowid = ?');
  }

  /** Reads what is new in the snapshots of the given logs, and answers with those that it now knows whole. */
  refresh(names: readonly string[]): Map<string, CataloguedLog> {
    return this.#reader.reading(() => {
      // Most searches come when nothing was written since the last one.
      const version = `${this.#reader.dataVersion()}:${numberOf(this.#dataVersion.get()?.['data_version'])}`;
      if (version === this.#seen.version && names.every((name) => this.#seen.names.has(name))) return this.#seen.found;
      const current = this.#reader.current();
      const known = new Map(this.#logs.all().map((row) => [textOf(row['name']), row]));
      const found = new Map<string, CataloguedLog>();
      const stale: CurrentSnapshot[] = [];
      for (const name of names) {
        const snapshot = current.get(name);
        const row = known.get(name);
        if (snapshot === undefined) continue;
        if (row?.['epoch'] !== snapshot.epoch || row['seq'] !== snapshot.seq) stale.push(snapshot);
        else found.set(name, { ...snapshot, log: numberOf(row['id']), size: numberOf(row['size']) });
      }
      const lost = [...known].flatMap(([name, row]) =>
        current.has(name) || this.#reader.has(name) ? [] : [numberOf(row['id'])],
      );
      if (lost.length > 0) this.#writing(() => lost.forEach((log) => this.#forget(log)));
      // Not all of them at once, so that what was read is not read again when the process is ended.
      for (let start = 0; start < stale.length; start += logsAtOnce) {
        this.#writing(() => {
          for (const snapshot of stale.slice(start, start + logsAtOnce)) {
            const log = this.#read(snapshot, known.get(snapshot.name)?.['id']);
            if (log !== undefined) found.set(snapshot.name, log);
          }
        });
      }
      this.#seen = { version, names: new Set(names), found };
      return found;
    });
  }

  #writing(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** `undefined` if the snapshot is damaged or of another format: the kernel will make another one. */
  #read(snapshot: CurrentSnapshot, known: Row[string] | undefined): CataloguedLog | undefined {
    const { name, epoch, seq, projection } = snapshot;
    const head = this.#value(projection, 'head');
    if (!isHead(head) || !isReadFormat(head.format)) return undefined;
    const before = new Map<string, Row>(
      (known === undefined || known === null ? [] : this.#chunks.all(known)).map((row) => [textOf(row['key']), row]),
    );
    const chunks: ReadChunk[] = [];
    for (const key of this.#reader.chunks(projection)) {
      const chunk = this.#readChunk(projection, key, before.get(key));
      if (chunk === undefined) return undefined;
      chunks.push(chunk);
      before.delete(key);
    }
    const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
    const log = numberOf(this.#setLog.get(name, epoch, seq, size)?.['id']);
    for (const row of before.values()) this.#drop(row);
    const ranksOf = head.deleted ? () => undefined : rankNodes(name, chunks);
    for (const chunk of chunks) this.#write(log, chunk, ranksOf);
    return { ...snapshot, log, size };
  }

  #readChunk(projection: number, key: string, known: Row | undefined): ReadChunk | undefined {
    const parts = ['nodes', 'narrow', 'wide'].map((kind) => this.#reader.part(projection, `${kind}/${key}`));
    const hash = createHash('sha1');
    for (const part of parts) hash.update(part ?? '').update('/');
    const digest = hash.digest('hex');
    if (known?.['digest'] === digest) {
      const about = aboutOf(known);
      return { key, about, size: numberOf(known['size']), known, digest, row: undefined };
    }
    const stored = this.#value(projection, `nodes/${key}`);
    if (!isStoredNodes(stored)) return undefined;
    const row = makeChunkRow(stored);
    return { key, about: row.about, size: row.size, known, digest, row };
  }

  #write(
    log: number,
    { key, about, known, digest, row }: ReadChunk,
    ranksOf: (node: string) => number | undefined,
  ): void {
    const ranks = packNumbers(
      about.nodes.flatMap(([id, , , count]) => {
        const first = ranksOf(id);
        return Array.from({ length: count }, (_, index) => (first === undefined ? -1 : first + index));
      }),
    );
    if (row === undefined) {
      if (known !== undefined && Buffer.compare(bytesOf(known['ranks']), ranks) !== 0) {
        this.#setRanks.run(ranks, numberOf(known['id']));
      }
      return;
    }
    if (known !== undefined) this.#dropStretches(known);
    this.#setChunk.run(log, key, digest, row.size, row.kinds, row.blocks, ranks, packAbout(about), packText(row.other));
  }

  #forget(log: number): void {
    for (const row of this.#chunks.all(log)) this.#drop(row);
    this.#dropLog.run(log);
  }

  #drop(row: Row): void {
    this.#dropStretches(row);
    this.#dropChunk.run(numberOf(row['id']));
  }

  #dropStretches({ first, stretches }: Row): void {
    if (first === null) return;
    for (let stretch = 0; stretch < numberOf(stretches); stretch += 1) this.#dropWords.run(numberOf(first) + stretch);
  }

  #value(projection: number, key: string): unknown {
    const part = this.#reader.part(projection, key);
    return part === undefined ? undefined : JSON.parse(unpackText(part));
  }
}

interface ReadChunk {
  key: string;
  digest: string;
  about: ChunkAbout;
  size: number;
  known: Row | undefined;
  /** There only if it is not what is known already. */
  row: ReturnType<typeof makeChunkRow> | undefined;
}

/** The place of each node's first block among all blocks that can be seen. */
function rankNodes(root: string, chunks: readonly ReadChunk[]): (node: string) => number | undefined {
  const nodes = chunks.flatMap(({ about }) => about.nodes);
  const counts = new Map(nodes.map(([id, , , count]) => [id, count]));
  const ranks = new Map<string, number>();
  let next = 0;
  for (const id of walkOrder(
    root,
    nodes.map(([id, parent, deleted]) => ({ id, parent, deleted })),
  ).keys()) {
    ranks.set(id, next);
    next += counts.get(id) ?? 0;
  }
  return (id) => ranks.get(id);
}

const logsAtOnce = 32;

// What matches its checksum was written by the kernel, and is not looked into further.

function isHead(value: unknown): value is { format: number; deleted: boolean } {
  return typeof value === 'object' && value !== null && 'format' in value && 'deleted' in value;
}

function isStoredNodes(value: unknown): value is StoredNode[] {
  return Array.isArray(value);
}

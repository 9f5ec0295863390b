import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  AppendRequest,
  AppendResult,
  FoldRequest,
  HeadsRequest,
  ListedLog,
  LogContents,
  LogRecord,
  LogRewrite,
  ProjectionRequest,
} from '@loom/kernel/store';
import type { StoreError } from '@loom/kernel/store';
import { highestSeq, judgeAppend, lastSeqOf } from '../../append-verdict.ts';
import type { Lease } from '../../lease.ts';
import { HeadTables } from './head-tables.ts';
import { OnceTable } from './once-table.ts';
import type { PackedPart, PackedProjection } from './projection-tables.ts';
import { ProjectionTables } from './projection-tables.ts';
import { damaged, numberOf, textOf } from './read-row.ts';
import { RecordTables } from './record-tables.ts';
import { RewriteTables } from './rewrite-tables.ts';

/** The statements of one connection. Each method is called inside a transaction. */
export class Tables {
  readonly #database: DatabaseSync;
  readonly #names: StatementSync;
  readonly #find: StatementSync;
  readonly #begin: StatementSync;
  readonly #extend: StatementSync;
  readonly #lease: StatementSync;
  readonly #leases: StatementSync;
  readonly #release: StatementSync;
  readonly #nextClientId: StatementSync;
  readonly #renew: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #records: RecordTables;
  readonly #projections: ProjectionTables;
  readonly #heads: HeadTables;
  readonly once: OnceTable;
  /** Logs as they were found, while no other process has written since. */
  readonly #known = new Map<string, FoundLog>();
  #knownVersion = -1;
  readonly #identity = randomUUID();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#names = database.prepare('SELECT name FROM logs');
    this.#find = database.prepare('SELECT id, epoch, last_seq FROM logs WHERE name = ?');
    this.#begin = database.prepare('INSERT INTO logs (name, epoch, last_seq) VALUES (?, ?, 0) RETURNING id');
    this.#extend = database.prepare('UPDATE logs SET last_seq = ? WHERE id = ?');
    this.#lease = database.prepare(
      `INSERT INTO leases (key, holder, until) VALUES (?1, ?2, ?3 + ?4)
       ON CONFLICT (key) DO UPDATE SET holder = ?2, until = ?3 + ?4 WHERE holder = ?2 OR until <= ?3`,
    );
    this.#leases = database.prepare('SELECT key, holder, until FROM leases WHERE substr(key, 1, length(?1)) = ?1');
    this.#release = database.prepare('DELETE FROM leases WHERE key = ? AND holder = ?');
    this.#nextClientId = database.prepare('UPDATE client_ids SET last = max(last, ?) + 1 RETURNING last');
    this.#dataVersion = database.prepare('PRAGMA data_version');
    this.#renew = database.prepare('UPDATE logs SET epoch = ? WHERE name = ? AND epoch = ?');
    this.#records = new RecordTables(database);
    this.#projections = new ProjectionTables(database);
    this.#heads = new HeadTables(database);
    this.once = new OnceTable(database);
  }

  /** Must be called when a transaction begins: the writes of others in between are not known. */
  recall(): void {
    const version = this.dataVersion();
    if (version === this.#knownVersion && this.#known.size < mostKnown) return;
    this.forget();
    this.#records.recall();
    this.#knownVersion = version;
  }

  /** Must be called after a rollback. */
  forget(): void {
    this.#known.clear();
    this.#knownVersion = -1;
  }

  /** Must be called at the end of a transaction's writes. */
  sortArrivals(isCrowd: boolean): void {
    this.#records.sortArrivals(isCrowd);
  }

  heads(request: HeadsRequest): ListedLog[] {
    return this.#heads.page(request);
  }

  logNames(): string[] {
    return this.#names.all().map(({ name }) => textOf(name));
  }

  /** Returns the end of a log. */
  end(name: string): { epoch: string; lastSeq: number } | undefined {
    return this.#findLog(name);
  }

  /** Gives a log another epoch, if it still has this one. Anything derived from it counts for nothing then. */
  renew(name: string, epoch: string): void {
    const log = this.#findLog(name);
    if (log?.epoch === epoch) this.#heads.drop(log.id);
    this.#renew.run(randomUUID(), name, epoch);
    this.forget();
  }

  /** The records between two seqs, but no more than `rows` of them. */
  read(name: string, afterSeq: number, throughSeq: number, rows: number): (LogContents & Piece) | undefined {
    const log = this.#findLog(name);
    if (log === undefined) return undefined;
    const records = this.#recordsBetween(log, afterSeq, throughSeq, rows);
    return { epoch: log.epoch, records, isLast: records.length < rows };
  }

  /** Appends to a log. The records of one of a crowd wait among the arrivals. */
  append(name: string, request: AppendRequest, newEpoch: string, isCrowd = false): AppendResult {
    const found = this.#findLog(name);
    const verdict = judgeAppend(name, found, request);
    if (verdict.type === 'conflict' && found !== undefined) {
      return {
        ok: false,
        conflict: { epoch: found.epoch, tail: this.#recordsBetween(found, verdict.afterSeq, highestSeq, allRows) },
      };
    }
    const log = found ?? this.#beginLog(name, newEpoch);
    this.#records.mark(request.format);
    this.#records.put(log.id, request.records, isCrowd);
    log.lastSeq = lastSeqOf(request.records, request.expectedSeq);
    this.#extend.run(log.lastSeq, log.id);
    this.#setHead(log, request.head);
    return { ok: true, epoch: log.epoch };
  }

  fold(name: string, { epoch, first, record: { seq: last } }: FoldRequest, packed: Uint8Array): boolean {
    const log = this.#findLog(name);
    if (log === undefined || log.epoch !== epoch) return false;
    return this.#records.fold(log.id, first, last, packed);
  }

  /** Puts other records in the place of all those of some logs, under new epochs; or does nothing if one of them has changed. */
  rewrite(rewrites: readonly LogRewrite[]): boolean {
    const changed = new RewriteTables(this.#database, this.#records).rewrite(rewrites);
    this.forget();
    return changed === undefined;
  }

  /** The parts with a prefix behind another key, but no more than `rows` of them, in the database's order. */
  readProjection(
    log: string,
    name: string,
    { prefix, after, rows }: { prefix: string; after: string | undefined; rows: number },
  ): (PackedProjection & Piece) | undefined {
    const found = this.#findLog(log);
    return found && this.#projections.read(found, name, { prefix, after, rows });
  }

  writeProjection(log: string, name: string, request: ProjectionRequest, put: readonly PackedPart[]): boolean {
    const found = this.#findLog(log);
    return found !== undefined && this.#projections.write(found, name, request, put);
  }

  lease(key: string, holder: string, now: number, milliseconds: number): boolean {
    return this.#lease.run(key, holder, now, milliseconds).changes !== 0;
  }

  release(key: string, holder: string): void {
    this.#release.run(key, holder);
  }

  leases(prefix: string): Map<string, Lease> {
    return new Map(
      this.#leases
        .all(prefix)
        .map(({ key, holder, until }) => [textOf(key), { holder: textOf(holder), until: numberOf(until) }]),
    );
  }

  nextClientId(above: number): number {
    return numberOf(this.#nextClientId.get(above)?.['last']);
  }

  /** Returns a mark that differs once another connection has committed, and for each connection. */
  commitMark(): string {
    return `${this.#identity} ${this.dataVersion()}`;
  }

  /** Changes when another connection has committed. */
  dataVersion(): number {
    return numberOf(this.#dataVersion.get()?.['data_version']);
  }

  #findLog(name: string): FoundLog | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#find.get(name);
    if (row === undefined) return undefined;
    const [id, epoch, lastSeq] = [numberOf(row['id']), textOf(row['epoch']), numberOf(row['last_seq'])];
    const log = { name, id, epoch, lastSeq, mayHaveHead: true };
    if (this.#records.hasBeyond(log.id, log.lastSeq)) throw wrongEnd(log);
    return this.#keep(log);
  }

  #beginLog(name: string, epoch: string): FoundLog {
    const id = numberOf(this.#begin.get(name, epoch)?.['id']);
    return this.#keep({ name, id, epoch, lastSeq: 0, mayHaveHead: false });
  }

  #setHead(log: FoundLog, head: AppendRequest['head']): void {
    if (head === 'same') return;
    if (head !== undefined) this.#heads.put(log.id, head);
    else if (log.mayHaveHead) this.#heads.drop(log.id);
    log.mayHaveHead = head !== undefined;
  }

  #keep(log: FoundLog): FoundLog {
    this.#known.set(log.name, log);
    return log;
  }

  #recordsBetween(log: FoundLog, afterSeq: number, throughSeq: number, rows: number): LogRecord[] {
    const { id, name, lastSeq } = log;
    if (throughSeq <= afterSeq) return [];
    let last = afterSeq;
    const records = this.#records.between(id, afterSeq, throughSeq, rows).map(({ first, seq, text }, index) => {
      // The first record may have begun before.
      if (first !== last + 1 && (index > 0 || first > last + 1)) throw damaged(`log ${JSON.stringify(name)} has a gap`);
      last = seq;
      return { seq, text };
    });
    if (records.length === rows) return records;
    if (throughSeq < lastSeq ? last < throughSeq || last > lastSeq : last !== Math.max(lastSeq, afterSeq))
      throw wrongEnd(log);
    return records;
  }
}

/** A piece of a log. `isLast` is true if nothing follows it. */
export interface Piece {
  isLast: boolean;
}

// SQLite's value for no limit.
const allRows = -1;

interface FoundLog {
  name: string;
  id: number;
  epoch: string;
  lastSeq: number;
  /** True if there may be a head to drop. */
  mayHaveHead: boolean;
}

// More than that are not written at a time.
const mostKnown = 1000;

function wrongEnd({ name }: FoundLog): StoreError {
  return damaged(`log ${JSON.stringify(name)} has a wrong end`);
}

import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { numberOf, textOf } from './row-values.ts';
import type { Row } from './row-values.ts';

/** The snapshot of a log, if it has everything that the log has. */
export interface CurrentSnapshot {
  name: string;
  epoch: string;
  seq: number;
  /** Where its parts are. */
  projection: number;
}

/** Reads snapshots out of a database of Loom's, with a connection that cannot write. */
export class SnapshotReader {
  readonly #database: DatabaseSync;
  readonly #logs: StatementSync;
  readonly #log: StatementSync;
  readonly #part: StatementSync;
  readonly #keys: StatementSync;
  readonly #dataVersion: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
    const found = `SELECT l.name, l.epoch, l.last_seq, p.id, p.seq FROM logs l
      JOIN projections p ON p.log = l.id AND p.name = 'state' AND p.epoch = l.epoch`;
    this.#logs = this.#database.prepare(found);
    this.#log = this.#database.prepare(`${found} WHERE l.name = ?`);
    this.#part = this.#database.prepare('SELECT packed FROM parts WHERE projection = ? AND key = ?');
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
    this.#keys = this.#database.prepare(
      "SELECT key FROM parts WHERE projection = ? AND key >= 'nodes/' AND key < 'nodes0' ORDER BY key",
    );
  }

  /** What the work reads is all of one moment. */
  reading<T>(work: () => T): T {
    this.#database.exec('BEGIN');
    try {
      return work();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  /** The snapshots that nothing was written behind, by log. */
  current(): Map<string, CurrentSnapshot> {
    return new Map(this.#logs.all().flatMap((row) => snapshotsIn(row).map((found) => [found.name, found])));
  }

  /** Whether there is a snapshot of a log. */
  has(name: string): boolean {
    return this.#log.get(name) !== undefined;
  }

  /** Whether the snapshot of a log is still this one, whatever was written behind it. */
  isAt(name: string, epoch: string, seq: number): boolean {
    const row = this.#log.get(name);
    return row?.['epoch'] === epoch && row['seq'] === seq;
  }

  /** Changes when a process has written. */
  dataVersion(): number {
    return numberOf(this.#dataVersion.get()?.['data_version']);
  }

  /** The keys of a snapshot's chunks, in order. */
  chunks(projection: number): string[] {
    return this.#keys.all(projection).map(({ key }) => textOf(key).slice('nodes/'.length));
  }

  /** A part as it is kept; `unpackText` says what it says. */
  part(projection: number, key: string): Uint8Array | undefined {
    const packed = this.#part.get(projection, key)?.['packed'];
    return packed instanceof Uint8Array ? packed : undefined;
  }

  close(): void {
    this.#database.close();
  }
}

function snapshotsIn({ name, epoch, last_seq: last, id, seq }: Row): CurrentSnapshot[] {
  if (seq !== last) return [];
  return [{ name: textOf(name), epoch: textOf(epoch), seq: numberOf(seq), projection: numberOf(id) }];
}

import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { numberOf, textOf } from './row-values.ts';

/** The end of a log. */
export interface LogPosition {
  epoch: string;
  seq: number;
}

/** Says how far the logs of a database go, with a connection that cannot write. */
export class LogPositions {
  readonly #database: DatabaseSync;
  readonly #logs: StatementSync;
  readonly #dataVersion: StatementSync;
  #known: { version: number; positions: ReadonlyMap<string, LogPosition> } | undefined;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
    this.#logs = this.#database.prepare(
      "SELECT name, epoch, last_seq FROM logs WHERE name >= 'root-' AND name < 'root.'",
    );
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
  }

  /** Returns the positions of all conversations, as of now. */
  current(): ReadonlyMap<string, LogPosition> {
    const version = numberOf(this.#dataVersion.get()?.['data_version']);
    if (this.#known?.version === version) return this.#known.positions;
    const positions = new Map<string, LogPosition>();
    for (const { name, epoch, last_seq: seq } of this.#logs.all()) {
      positions.set(textOf(name), { epoch: textOf(epoch), seq: numberOf(seq) });
    }
    this.#known = { version, positions };
    return positions;
  }

  close(): void {
    this.#database.close();
  }
}

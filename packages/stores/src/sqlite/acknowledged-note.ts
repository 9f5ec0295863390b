import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { sealFields, unsealFields } from '../files/sealed-line.ts';

/** How far a log is known to have been on the disk. */
export interface Acknowledged {
  log: string;
  epoch: string;
  seq: number;
}

/**
 * A note beside the database, to which a line is added for each log that a commit has extended, after it was synced and before it is
 * answered. It is not synced itself, so that it costs no wait for the disk: after a power cut it may say less, but never more than the
 * disk had. A database that holds less than it says has been damaged, however sound it looks: SQLite takes damage to its write-ahead
 * log for commits that were cut short.
 */
export class AcknowledgedNote {
  readonly #path: string;
  #descriptor: number | undefined;

  /** The path is that of the database. */
  constructor(path: string) {
    this.#path = `${path}.acknowledged`;
  }

  /** What it says of each log; nothing if there is none. Lines that are damaged say nothing. */
  read(): Map<string, Acknowledged> {
    return new Map(this.#lines().map((line) => [line.log, line]));
  }

  /** Never fails: without it the database is as good as it was, and damage to it is found less often. */
  add(entries: readonly Acknowledged[]): void {
    if (entries.length === 0) return;
    try {
      this.#descriptor ??= this.#open();
      writeSync(this.#descriptor, encode(entries));
    } catch {
      // What it said before still holds.
      this.close();
    }
  }

  /** Leaves some logs out from now on. Never fails: what it says of them is only told once more then. */
  drop(logs: ReadonlySet<string>): void {
    this.close();
    const kept = [...this.read().values()].filter(({ log }) => !logs.has(log));
    try {
      this.#replace(kept);
    } catch {
      // What it said before still holds.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): number {
    const lines = this.#lines();
    if (lines.length > mostLines) {
      // Of each log the last line counts, and of many logs those that were written to last.
      const last = new Map<string, Acknowledged>();
      for (const line of lines) {
        last.delete(line.log);
        last.set(line.log, line);
      }
      this.#replace([...last.values()].slice(-mostLogs));
    }
    return openSync(this.#path, 'a', 0o600);
  }

  #replace(entries: readonly Acknowledged[]): void {
    const temporary = `${this.#path}.tmp`;
    if (entries.length === 0) return rmSync(this.#path, { force: true });
    writeFileSync(temporary, encode(entries), { mode: 0o600 });
    renameSync(temporary, this.#path);
  }

  #lines(): Acknowledged[] {
    return readAcknowledgedLines(this.#path);
  }
}

const mostLines = 2000;
const mostLogs = 500;

/** The lines of a note, or of a file that keeps losses in mind, in their order. */
export function readAcknowledgedLines(path: string): Acknowledged[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return [];
  }
  const lines: Acknowledged[] = [];
  for (let start = 0, end = 0; (end = bytes.indexOf(0x0a, start)) !== -1; start = end + 1) {
    const line = decode(bytes.subarray(start, end), path);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

export function encode(entries: readonly Acknowledged[]): string {
  return entries.map(({ log, epoch, seq }) => sealFields({ log, epoch, seq })).join('');
}

function decode(line: Uint8Array, path: string): Acknowledged | undefined {
  try {
    const { log, epoch, seq } = unsealFields(line, path) ?? {};
    if (typeof log !== 'string' || typeof epoch !== 'string' || typeof seq !== 'number') return undefined;
    return { log, epoch, seq };
  } catch {
    // Of a newer format: it says nothing that this version understands.
    return undefined;
  }
}

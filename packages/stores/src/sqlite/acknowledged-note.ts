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
  /** What it says, of each log the last line; the logs that were written to last come last. */
  #said: Map<string, Acknowledged> | undefined;
  #lines = 0;

  /** The path is that of the database. */
  constructor(path: string) {
    this.#path = `${path}.acknowledged`;
  }

  /** What it says of each log; nothing if there is none. Lines that are damaged say nothing. */
  read(): Map<string, Acknowledged> {
    const said = new Map<string, Acknowledged>();
    const lines = readAcknowledgedLines(this.#path);
    this.#lines = lines.length;
    putLast(said, lines);
    return said;
  }

  /** Never fails: without it the database is as good as it was, and damage to it is found less often. */
  add(entries: readonly Acknowledged[]): void {
    if (entries.length === 0) return;
    this.#said ??= this.read();
    putLast(this.#said, entries);
    this.#attempt(() => {
      if (this.#lines + entries.length > mostLines) return this.#replace();
      this.#descriptor ??= openSync(this.#path, 'a', 0o600);
      writeSync(this.#descriptor, encode(entries));
      this.#lines += entries.length;
    });
  }

  /** Leaves some logs out from now on. Never fails: what it says of them is only told once more then. */
  drop(logs: ReadonlySet<string>): void {
    this.#said ??= this.read();
    for (const log of logs) this.#said.delete(log);
    this.#attempt(() => this.#replace());
  }

  /** Leaves it short, since it is read whenever the database is opened. Never fails. */
  close(): void {
    const logs = this.#said?.size ?? 0;
    if (this.#lines > 2 * logs + fewLines && logs > 0) this.#attempt(() => this.#replace());
    this.#forget();
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch {
      // What it said before still holds.
      this.#forget();
    }
  }

  #forget(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    this.#said = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  /** Of each log the last line counts, and of many logs those that were written to last. */
  #replace(): void {
    const kept = [...(this.#said?.values() ?? [])].slice(-mostLogs);
    this.#forget();
    if (kept.length === 0) return rmSync(this.#path, { force: true });
    const temporary = `${this.#path}.tmp`;
    writeFileSync(temporary, encode(kept), { mode: 0o600 });
    renameSync(temporary, this.#path);
  }
}

const mostLines = 2000;
const fewLines = 50;
const mostLogs = 500;

function putLast(said: Map<string, Acknowledged>, entries: readonly Acknowledged[]): void {
  for (const entry of entries) {
    said.delete(entry.log);
    said.set(entry.log, entry);
  }
}

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

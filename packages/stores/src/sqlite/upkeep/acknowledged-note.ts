import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { sealFields, unsealFields } from '../../files/sealed-line.ts';

/** The point up to which a log is known to have been on the disk. */
export interface Acknowledged {
  log: string;
  epoch: string;
  seq: number;
}

/**
 * A note beside the database, to which each commit adds a line with the logs that it has extended, after it was synced and before it is
 * answered. It is not synced itself, so that it costs no wait for the disk: after a power cut it may say less, but never more than the
 * disk had. A database that holds less than it says has been damaged, however sound it looks: SQLite takes damage to its write-ahead
 * log for commits that were cut short.
 */
export class AcknowledgedNote {
  readonly #path: string;
  #descriptor: number | undefined;
  /** The last entry of each log in the note; the logs written to last come last. */
  #said: Map<string, Acknowledged> | undefined;
  #lines = 0;
  #bytes = 0;

  /** The path is that of the database. */
  constructor(path: string) {
    this.#path = `${path}.acknowledged`;
  }

  /** Reads the note: the last entry of each log; nothing if there is no note. Skips damaged lines. */
  read(): Map<string, Acknowledged> {
    const said = new Map<string, Acknowledged>();
    const lines = readLines(this.#path);
    this.#lines = lines.length;
    this.#bytes = lines.reduce((sum, line) => sum + line.length, 0);
    for (const line of lines) putLast(said, unseal(line, this.#path));
    return said;
  }

  /** Adds entries. Never fails: without them the database is as good as it was, and damage to it is found less often. */
  add(entries: readonly Acknowledged[]): void {
    if (entries.length === 0) return;
    this.#said ??= this.read();
    putLast(this.#said, entries);
    this.#attempt(() => {
      if (this.#lines >= mostLines || this.#bytes > mostBytes) return this.#replace();
      this.#descriptor ??= openSync(this.#path, 'a', 0o600);
      this.#bytes += writeSync(this.#descriptor, sealTogether(entries));
      this.#lines += 1;
    });
  }

  /** Leaves some logs out from now on. Never fails: at worst their entries are reported once more. */
  drop(logs: ReadonlySet<string>): void {
    this.#said ??= this.read();
    for (const log of logs) this.#said.delete(log);
    this.#attempt(() => this.#replace());
  }

  /** Leaves it short, since it is read whenever the database is opened. Never fails. */
  close(): void {
    if (this.#said !== undefined && this.#lines > fewLines) this.#attempt(() => this.#replace());
    this.#forget();
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch {
      // Its earlier entries still hold.
      this.#forget();
    }
  }

  #forget(): void {
    this.#said = undefined;
    this.#closeFile();
  }

  #closeFile(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  /** Rewrites the note. Of each log the last entry counts, and of many logs those that were written to last. */
  #replace(): void {
    const kept = [...(this.#said?.values() ?? [])].slice(-mostLogs);
    const lines = sealInGroups(kept);
    this.#closeFile();
    if (lines.length === 0) rmSync(this.#path, { force: true });
    else {
      const temporary = `${this.#path}.tmp`;
      writeFileSync(temporary, lines.join(''), { mode: 0o600 });
      renameSync(temporary, this.#path);
    }
    this.#said = new Map(kept.map((entry) => [entry.log, entry]));
    this.#lines = lines.length;
    this.#bytes = lines.reduce((sum, line) => sum + line.length, 0);
  }
}

// The size that the process after a killed one reads within 10 ms. To replace a file takes as long as some hundred lines.
const mostLines = 2000;
const mostBytes = 1024 * 1024;
const mostLogs = 500;
// More than those of the most logs, once it was replaced.
const fewLines = 50;

function putLast(said: Map<string, Acknowledged>, entries: readonly Acknowledged[]): void {
  for (const entry of entries) {
    said.delete(entry.log);
    said.set(entry.log, entry);
  }
}

/** Reads a note, or a file that records losses, in its order. Skips lines that are damaged or of a newer format. */
export function readAcknowledged(path: string): Acknowledged[] {
  return readLines(path).flatMap((line) => unseal(line, path));
}

function readLines(path: string): Uint8Array[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return [];
  }
  const lines = [];
  for (let start = 0, end = 0; (end = bytes.indexOf(0x0a, start)) !== -1; start = end + 1) {
    lines.push(bytes.subarray(start, end));
  }
  return lines;
}

/** Seals each entry in a separate line, as notes had them in former versions: a damaged line takes none of its neighbors along. */
export function sealEach(entries: readonly Acknowledged[]): string {
  return entries.map(({ log, epoch, seq }) => sealFields({ log, epoch, seq })).join('');
}

/** One line with one checksum, because a note is written to at each commit: a line for each log took a tenth of the time of 64 writers. */
function sealTogether(entries: readonly Acknowledged[]): string {
  return sealFields({ logs: entries.map(({ log, epoch, seq }) => [log, epoch, seq]) });
}

/** Damage to a line of those takes the logs of one group. */
function sealInGroups(entries: readonly Acknowledged[]): string[] {
  const groups = Array.from({ length: Math.ceil(entries.length / groupSize) }, (_, index) => index * groupSize);
  return groups.map((start) => sealTogether(entries.slice(start, start + groupSize)));
}

const groupSize = 20;

function unseal(line: Uint8Array, path: string): Acknowledged[] {
  try {
    const { logs, log, epoch, seq } = unsealFields(line, path) ?? {};
    const rows: unknown[] = Array.isArray(logs) ? logs : [[log, epoch, seq]];
    return rows.flatMap(toEntry);
  } catch {
    // Of a newer format.
    return [];
  }
}

function toEntry(row: unknown): Acknowledged[] {
  const fields: unknown[] = Array.isArray(row) ? row : [];
  const [log, epoch, seq] = fields;
  if (typeof log !== 'string' || typeof epoch !== 'string' || typeof seq !== 'number') return [];
  return [{ log, epoch, seq }];
}

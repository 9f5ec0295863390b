import { createHash } from 'node:crypto';
import { forestLogName, isHomeLog } from '@loom/kernel/logs';
import { blobId } from '../blobs/blob-id.ts';
import { isRootName } from '../disk/root-name.ts';
import { damaged, tooLarge, unsafe } from './archive-error.ts';
import { longestText, noCounts } from './archive-line.ts';
import type { ArchiveCounts, ArchiveHeader, ArchiveLine, LogLine } from './archive-line.ts';
import { cut, parseHeader, parseLine } from './archive-lines.ts';
import { chainHash, chainStart, deepestNesting } from './log-chain.ts';
import type { ChainPoint } from './log-chain.ts';
import { readRecord } from './log-record.ts';
import type { ReadChange } from './log-record.ts';

/** One piece of an archive, checked as far as the archive alone allows. */
export type ArchiveItem =
  | { type: 'header'; header: ArchiveHeader }
  | { type: 'log'; log: LogLine }
  | { type: 'record'; text: string; changes: ChainedChange[] }
  | { type: 'blob'; id: string; bytes: Uint8Array }
  | { type: 'blob-missing'; id: string }
  | { type: 'log-end'; end: ChainPoint }
  | { type: 'log-missing'; name: string }
  | { type: 'end'; counts: ArchiveCounts };

/** A change, and the hash of its log with it. */
export interface ChainedChange extends ReadChange {
  hash: string;
}

/** Reads an archive and throws an `ArchiveError` at the first thing that cannot be right. */
export async function* readArchive(lines: AsyncIterable<string>): AsyncGenerator<ArchiveItem, void, void> {
  const reading = new Reading();
  for await (const text of lines) {
    const item = reading.read(text);
    if (item !== undefined) yield item;
  }
  reading.end();
}

/** The state of reading an archive: the totals so far, and what may follow. */
class Reading {
  readonly #everything = createHash('sha256');
  readonly #counts = noCounts();
  #number = 0;
  /** A line that is not understood: the last one of an archive that was cut, or damage. */
  #torn: unknown;
  #header: ArchiveHeader | undefined;
  #log: { line: LogLine; at: ChainPoint } | undefined;
  #blob: { id: string; bytes: number; pieces: Uint8Array[]; size: number } | undefined;
  /** The part of the next record's text that has arrived. */
  #text = '';
  /** Logs that were there, or are known to have been missing. */
  readonly #seen = new Set<string>();
  #isOver = false;

  read(text: string): ArchiveItem | undefined {
    if (this.#torn !== undefined) throw this.#torn;
    if (this.#isOver) throw damaged('something follows its end');
    this.#number += 1;
    if (this.#number === 1) return this.#begin(text);
    let line: ArchiveLine;
    try {
      line = parseLine(text, this.#number);
    } catch (error) {
      this.#torn = error;
      return undefined;
    }
    const item = this.#take(line);
    if (!this.#isOver) this.#everything.update(text).update('\n');
    return item;
  }

  end(): void {
    if (!this.#isOver) throw cut();
  }

  #begin(text: string): ArchiveItem {
    const header = parseHeader(text);
    this.#header = header;
    this.#everything.update(text).update('\n');
    return { type: 'header', header };
  }

  #take(line: ArchiveLine): ArchiveItem | undefined {
    if (this.#blob !== undefined && line.type !== 'bytes') throw this.#misplaced('a blob goes on');
    const endsText = line.type !== 'text' && line.type !== 'record';
    if (this.#text !== '' && endsText) throw this.#misplaced('a record goes on');
    switch (line.type) {
      case 'archive':
        throw this.#misplaced('it begins again');
      case 'log':
        return this.#beginLog(line);
      case 'text':
        this.#openLog();
        this.#takeText(line.text);
        return undefined;
      case 'record':
        this.#takeText(line.text);
        return this.#takeRecord({ seq: line.seq, hash: line.hash });
      case 'blob':
        this.#openLog();
        this.#blob = { id: line.id, bytes: line.bytes, pieces: [], size: 0 };
        return line.bytes === 0 ? this.#endBlob(this.#blob) : undefined;
      case 'bytes':
        return this.#takeBytes(Buffer.from(line.data, 'base64'));
      case 'blob-missing':
        this.#openLog();
        return { type: 'blob-missing', id: line.id };
      case 'log-end':
        return this.#endLog({ seq: line.seq, hash: line.hash });
      case 'log-missing':
        this.#betweenLogs(line.name);
        return { type: 'log-missing', name: line.name };
      case 'end':
        return this.#endArchive(line);
    }
  }

  #beginLog(line: LogLine): ArchiveItem {
    const { name, after, hash } = line;
    this.#betweenLogs(name);
    if (name !== forestLogName && !isHomeLog(name) && !isRootName(name)) throw unsafe(name);
    const start = chainStart(name);
    if (after === 0 && hash !== start.hash) throw damaged(`the log ${JSON.stringify(name)} begins with another hash`);
    if (after > 0 && this.#header?.kind === 'whole') throw this.#misplaced('the beginning of a log is missing');
    this.#log = { line, at: { seq: after, hash } };
    return { type: 'log', log: line };
  }

  #takeText(piece: string): void {
    if (this.#text.length + piece.length > longestText)
      throw tooLarge(`a record of more than ${longestText} characters`);
    this.#text += piece;
  }

  #takeRecord(end: ChainPoint): ArchiveItem {
    const { line, at } = this.#openLog();
    const text = this.#text;
    this.#text = '';
    const changes: ChainedChange[] = this.#decode(line.name, text).map((change) => {
      if (change.seq !== at.seq + 1) throw this.#misplaced(`change ${change.seq} follows change ${at.seq}`);
      at.seq = change.seq;
      at.hash = chainHash(at.hash, change.canonical);
      return { ...change, hash: at.hash };
    });
    this.#checkPoint(end);
    const [first] = changes;
    if (line.name === forestLogName && first?.seq === 1 && first.hash !== this.#header?.origin) {
      throw damaged('it has another origin than it says');
    }
    for (const op of changes.flatMap(({ ops }) => ops)) if (op.type === 'root-listed') this.#checkListed(op.root);
    this.#counts.records += 1;
    this.#counts.changes += changes.length;
    return { type: 'record', text, changes };
  }

  #decode(log: string, text: string): ReadChange[] {
    try {
      // Naming the content of a change takes writing it, which may fail as well.
      return readRecord(log, text).changes.map((change) => ({ ...change }));
    } catch (error) {
      // From the first step that meets it: the check of the values, or their writing.
      if (error instanceof RangeError) throw tooLarge(`JSON of more than ${deepestNesting} levels`);
      throw damaged(`line ${this.#number} holds no change`, { cause: error });
    }
  }

  #checkListed(root: string): void {
    if (!this.#seen.has(root)) throw damaged(`it lists the root ${JSON.stringify(root)}, which is not in it`);
  }

  #takeBytes(piece: Uint8Array): ArchiveItem | undefined {
    if (this.#blob === undefined) throw this.#misplaced('these bytes belong to nothing');
    this.#blob.pieces.push(piece);
    this.#blob.size += piece.length;
    return this.#blob.size < this.#blob.bytes && piece.length > 0 ? undefined : this.#endBlob(this.#blob);
  }

  #endBlob({ id, pieces }: { id: string; pieces: Uint8Array[] }): ArchiveItem {
    const bytes = Buffer.concat(pieces);
    if (blobId(bytes) !== id) throw damaged(`the bytes of ${id} have another hash`);
    this.#blob = undefined;
    this.#counts.blobs += 1;
    this.#counts.blob_bytes += bytes.length;
    return { type: 'blob', id, bytes };
  }

  #endLog(end: ChainPoint): ArchiveItem {
    this.#openLog();
    this.#checkPoint(end);
    this.#log = undefined;
    this.#counts.logs += 1;
    return { type: 'log-end', end };
  }

  #endArchive({ type, hash, ...counts }: Extract<ArchiveLine, { type: 'end' }>): ArchiveItem {
    if (this.#log !== undefined) throw this.#misplaced('a log goes on');
    if (hash !== this.#everything.digest('hex')) throw damaged('it is not what was written');
    const expected: Record<string, number> = { ...this.#counts };
    const isComplete = Object.entries(counts).every(([name, number]) => expected[name] === number);
    // Homes are in no list.
    const hasList = this.#seen.has(forestLogName) || [...this.#seen].every(isHomeLog);
    if (!isComplete || !hasList) throw damaged('something is missing in it');
    this.#isOver = true;
    return { type, counts };
  }

  #betweenLogs(name: string): void {
    if (this.#log !== undefined) throw this.#misplaced('a log goes on');
    if (this.#seen.has(name)) throw this.#misplaced('a log comes twice');
    // The list comes last, so that an import that stops before it has listed nothing.
    if (this.#seen.has(forestLogName)) throw this.#misplaced('the list of roots goes before it');
    this.#seen.add(name);
  }

  #openLog(): { line: LogLine; at: ChainPoint } {
    if (this.#log === undefined) throw this.#misplaced('it belongs to no log');
    return this.#log;
  }

  #checkPoint({ seq, hash }: ChainPoint): void {
    const { line, at } = this.#openLog();
    if (at.seq === seq && at.hash === hash) return;
    throw damaged(`the changes of the log ${JSON.stringify(line.name)} up to ${at.seq} have another hash`);
  }

  #misplaced(why: string): Error {
    return damaged(`line ${this.#number} is out of place: ${why}`);
  }
}

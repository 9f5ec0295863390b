import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { AppendRequest, AppendResult, FoldRequest, LogContents, LogRecord } from '@loom/kernel';
import type { LogEnd } from '../append-verdict.ts';
import { highestSeq, judgeAppend } from '../append-verdict.ts';
import { makeDirectory, withFile, writeDurably, writeFully } from '../durable-files.ts';
import { fileFailure } from '../file-failure.ts';
import type { FilesPort } from '../files-port.ts';
import { failedWith } from '../files-port.ts';
import { logDirectory } from './log-directory.ts';
import type { LogIndex } from './log-scan.ts';
import { damaged, encodeHeader, lastEnd, lastSeq, scanLog } from './log-scan.ts';
import { decodeRecord, encodeRecord } from './record-line.ts';
import { Turns } from './turns.ts';

/** What a log file is made of. */
export interface LogFileParts {
  files: FilesPort;
  /** The data directory. */
  directory: string;
  log: string;
  randomId: () => string;
}

/**
 * One log in its file. Writes take turns, and what arrives during a turn shares the next one; reads go beside them. No descriptor is
 * kept: what a failed sync leaves behind is cut off through another one before anything is written again.
 */
export class LogFile {
  readonly #files: FilesPort;
  readonly #log: string;
  readonly #randomId: () => string;
  readonly #directory: string;
  readonly #path: string;
  readonly #turns = new Turns();
  #waiting: Waiting[] = [];
  #index: LogIndex | undefined;
  #loading: Promise<LogIndex | undefined> | undefined;
  /** What is behind the last good byte: nothing, a write that failed, or one that was found torn and is kept aside. */
  #tail: 'none' | 'failed' | 'torn' = 'none';
  /** Goes up when the file is replaced, which makes positions in it meaningless. */
  #generation = 0;
  #replacing: Promise<void> | undefined;

  constructor({ files, directory, log, randomId }: LogFileParts) {
    this.#files = files;
    this.#log = log;
    this.#randomId = randomId;
    this.#directory = join(directory, logDirectory(log));
    this.#path = join(this.#directory, 'log.jsonl');
  }

  /** Where it ends. */
  async end(): Promise<LogEnd> {
    try {
      while (this.#replacing !== undefined) await this.#replacing.catch(() => undefined);
      const index = await this.#load();
      return index && { epoch: index.epoch, lastSeq: lastSeq(index) };
    } catch (error) {
      throw fileFailure(error, `could not read the log ${JSON.stringify(this.#log)}`);
    }
  }

  /** The records after a seq, up to the one that holds another; nothing that is not durable. */
  async read(afterSeq: number, throughSeq = highestSeq): Promise<LogContents | undefined> {
    try {
      for (;;) {
        while (this.#replacing !== undefined) await this.#replacing.catch(() => undefined);
        const index = await this.#load();
        if (index === undefined) return undefined;
        const generation = this.#generation;
        const position = firstAfter(index.seqs, afterSeq);
        const from = index.ends[position - 1] ?? index.headerEnd;
        const to =
          throughSeq <= afterSeq ? from : (index.ends[firstAfter(index.seqs, throughSeq - 1)] ?? lastEnd(index));
        const { epoch } = index;
        const bytes = from === to ? new Uint8Array() : await this.#files.read(this.#path, from, to);
        if (generation !== this.#generation) continue;
        if (bytes.length !== to - from) throw damaged(this.#path, 'it is shorter than it was');
        return { epoch, records: this.#decode(bytes) };
      }
    } catch (error) {
      throw fileFailure(error, `could not read the log ${JSON.stringify(this.#log)}`);
    }
  }

  append(request: AppendRequest): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#waiting.length === 1) void this.#turns.run(() => this.#commit());
    });
  }

  fold(request: FoldRequest): Promise<boolean> {
    return this.#turns.run(async () => {
      try {
        return await this.#fold(request);
      } catch (error) {
        throw fileFailure(error, `could not rewrite the log ${JSON.stringify(this.#log)}`);
      }
    });
  }

  /** Everything that has come together since the last turn: one write and one wait for the disk. */
  async #commit(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const index = await this.#load();
      let end = index && { epoch: index.epoch, lastSeq: lastSeq(index) };
      const records: LogRecord[] = [];
      const answers: (() => void)[] = [];
      for (const waiting of group) {
        const { request, resolve, reject } = waiting;
        try {
          const verdict = judgeAppend(this.#log, end, request);
          if (verdict.type === 'conflict') {
            // Answered when the records before it are durable, since they are what the writer did not know.
            answers.push(() => void this.#conflict(verdict.afterSeq).then(resolve, reject));
            continue;
          }
          end = { epoch: end?.epoch ?? this.#randomId(), lastSeq: request.expectedSeq + request.records.length };
          const { epoch } = end;
          records.push(...request.records);
          answers.push(() => resolve({ ok: true, epoch }));
        } catch (error) {
          reject(error);
        }
      }
      if (end !== undefined && records.length > 0) {
        await (index === undefined ? this.#begin(end.epoch, records) : this.#write(index, records));
      }
      for (const answer of answers) answer();
    } catch (error) {
      const failure = fileFailure(error, `could not append to the log ${JSON.stringify(this.#log)}`);
      for (const { reject } of group) reject(failure);
    }
  }

  async #conflict(afterSeq: number): Promise<AppendResult> {
    const contents = await this.read(afterSeq);
    if (contents === undefined) throw damaged(this.#path, 'it is gone');
    return { ok: false, conflict: { epoch: contents.epoch, tail: contents.records } };
  }

  async #begin(epoch: string, records: readonly LogRecord[]): Promise<void> {
    await makeDirectory(this.#files, this.#directory);
    await this.#replace(epoch, records);
  }

  async #write(index: LogIndex, records: readonly LogRecord[]): Promise<void> {
    const from = lastSeq(index) + 1;
    const write = { from, to: records.at(-1)?.seq ?? from };
    const lines = records.map(({ seq, text }) => encoder.encode(encodeRecord({ first: seq, seq, write }, text)));
    await this.#cut(index);
    try {
      await withFile(this.#files, this.#path, 'change', async (file) => {
        await writeFully(file, Buffer.concat(lines), lastEnd(index));
        await file.sync();
      });
    } catch (error) {
      this.#tail = 'failed';
      await this.#cut(index).catch(() => undefined);
      throw error;
    }
    for (const [position, line] of lines.entries()) {
      index.ends.push(lastEnd(index) + line.length);
      index.seqs.push(from + position);
    }
  }

  async #fold({ epoch, first, record }: FoldRequest): Promise<boolean> {
    const index = await this.#load();
    if (index === undefined || index.epoch !== epoch) return false;
    const start = firstAfter(index.seqs, first - 1);
    const end = firstAfter(index.seqs, record.seq - 1);
    if ((index.seqs[start - 1] ?? 0) !== first - 1 || index.seqs[end] !== record.seq) return false;
    await this.#cut(index);
    const contents = await this.read(0);
    if (contents === undefined) return false;
    contents.records.splice(start, end + 1 - start, { seq: record.seq, text: record.text });
    await this.#replace(epoch, contents.records);
    return true;
  }

  /** Puts a whole new file in the place of the old one. If that fails nobody knows which of them is there: it is read again. */
  #replace(epoch: string, records: readonly LogRecord[]): Promise<void> {
    const replace = async (): Promise<void> => {
      // From here on readers wait; what one of them has begun to load is about the old file.
      await this.#loading?.catch(() => undefined);
      this.#generation += 1;
      this.#index = undefined;
      let first = 1;
      const header = encoder.encode(encodeHeader(this.#log, epoch));
      const index: LogIndex = { epoch, seqs: [], ends: [], headerEnd: header.length };
      const lines = [header];
      for (const { seq, text } of records) {
        const line = encoder.encode(encodeRecord({ first, seq, write: { from: first, to: seq } }, text));
        lines.push(line);
        index.ends.push(lastEnd(index) + line.length);
        index.seqs.push(seq);
        first = seq + 1;
      }
      const temporary = `${this.#path}.tmp`;
      await writeDurably(this.#files, { path: this.#path, temporary, bytes: Buffer.concat(lines) });
      this.#index = index;
    };
    this.#replacing = replace().finally(() => (this.#replacing = undefined));
    return this.#replacing;
  }

  /** Removes what is behind the last good byte, after a torn write has been put aside. */
  async #cut(index: LogIndex): Promise<void> {
    if (this.#tail === 'none') return;
    const end = lastEnd(index);
    if (this.#tail === 'torn') {
      const bytes = await this.#files.read(this.#path, end);
      const path = `${this.#path}.torn-${lastSeq(index) + 1}-${crc32(bytes).toString(16).padStart(8, '0')}`;
      if (bytes.length > 0) await writeDurably(this.#files, { path, temporary: `${path}.tmp`, bytes });
    }
    await withFile(this.#files, this.#path, 'change', async (file) => {
      await file.truncate(end);
      await file.sync();
    });
    this.#tail = 'none';
  }

  async #load(): Promise<LogIndex | undefined> {
    if (this.#index !== undefined) return this.#index;
    this.#loading ??= this.#scan().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #scan(): Promise<LogIndex | undefined> {
    try {
      // A killed process may have left what is in the file but not on the disk. Whoever reads it may build on it.
      await withFile(this.#files, this.#path, 'change', (file) => file.sync());
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return undefined;
      throw error;
    }
    await this.#files.syncDirectory(this.#directory);
    const { index, torn } = scanLog(this.#log, this.#path, await this.#files.read(this.#path));
    this.#tail = torn ? 'torn' : 'none';
    this.#index = index;
    return index;
  }

  #decode(bytes: Uint8Array): LogRecord[] {
    const records: LogRecord[] = [];
    for (let position = 0; position < bytes.length;) {
      const end = bytes.indexOf(0x0a, position);
      const line = end === -1 ? undefined : decodeRecord(bytes.subarray(position, end));
      const before = records.at(-1)?.seq;
      if (line === undefined || (before !== undefined && line.place.first !== before + 1)) {
        throw damaged(this.#path, before === undefined ? 'a record' : `the record after ${before}`);
      }
      records.push(line.record);
      position = end + 1;
    }
    return records;
  }
}

interface Waiting {
  request: AppendRequest;
  resolve: (result: AppendResult) => void;
  reject: (error: unknown) => void;
}

const encoder = new TextEncoder();

/** The position of the first seq above another; seqs ascend. */
function firstAfter(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqs[middle] ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

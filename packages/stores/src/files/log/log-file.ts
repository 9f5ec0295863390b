import { join } from 'node:path';
import type {
  AppendRequest,
  AppendResult,
  FoldRequest,
  LogContents,
  LogHead,
  LogRecord,
  NewRecord,
} from '@loom/kernel/store';
import type { LogEnd } from '../../append-verdict.ts';
import { highestSeq, judgeAppend, lastSeqOf } from '../../append-verdict.ts';
import { makeDirectory, withFile, writeDurably, writeFully } from '../../disk/durable-files.ts';
import { fileFailure } from '../../disk/file-failure.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import { failedWith, isDenied } from '../../disk/files-port.ts';
import type { LostLog } from '../../lost-log.ts';
import { AcknowledgedMark, forgetLoss, keepLoss } from './acknowledged-mark.ts';
import { logDirectory } from './log-directory.ts';
import type { LogLines } from './log-lines.ts';
import { encodeLines, foldLines, indexLines, sameLines } from './log-lines.ts';
import type { LogIndex } from './log-scan.ts';
import { cutOff, damaged, denied, encodeHeader, firstAfter, lastEnd, lastSeq, readEpoch, scanLog } from './log-scan.ts';
import { decodeRecord, encodeRecord } from './record-line.ts';
import { firstFormat } from '../sealed-line.ts';
import { Turns } from '../../turns.ts';
import { checksum } from '../../disk/checksum.ts';

/** The collaborators of a log file. */
export interface LogFileParts {
  files: FilesPort;
  /** The data directory. */
  directory: string;
  log: string;
  randomId: () => string;
  /** True if another process may write to the file meanwhile: then it is looked at again before each read. */
  othersWrite?: boolean;
  /** Called when a torn write has been put aside. */
  torn?: (torn: TornWrite) => void;
  /** Called once, when the log is looked for and turns out to be lost. */
  lost?: (lost: LostLog) => void;
}

/** A log as its rewriter knows it, and the number that the readers of what it writes have to know. */
interface KnownLog {
  epoch: string;
  lastSeq: number;
  format?: number;
}

/** A write that was not all there, and so was never acknowledged. */
export interface TornWrite {
  log: string;
  /** The file that holds its bytes now. */
  kept: string;
  bytes: number;
}

/**
 * One log in its file. Writes take turns, and those that arrive during a turn share the next one; reads go beside them. No descriptor is
 * kept: the remains of a failed sync are cut off through another one before anything is written again.
 */
export class LogFile {
  readonly #files: FilesPort;
  readonly #log: string;
  readonly #randomId: () => string;
  readonly #othersWrite: boolean;
  readonly #torn: (torn: TornWrite) => void;
  #lost: ((lost: LostLog) => void) | undefined;
  readonly #directory: string;
  readonly #path: string;
  readonly #mark: AcknowledgedMark;
  readonly #turns = new Turns();
  #waiting: Waiting[] = [];
  #index: LogIndex | undefined;
  #loading: Promise<LogIndex | undefined> | undefined;
  /** The bytes after the last good one: none, a write that failed, or one that was found torn and is kept aside. */
  #tail: 'none' | 'failed' | 'torn' = 'none';
  /** The number of those bytes when the file was last scanned. */
  #tailLength = 0;
  /** Goes up when the file is replaced, which makes positions in it meaningless. */
  #generation = 0;
  #replacing: Promise<LogIndex> | undefined;
  /** The head of the log as far as the index goes. */
  #head: LogHead | undefined;
  #underWay = 0;
  #hasTold = false;

  constructor({ files, directory, log, randomId, othersWrite = false, torn = () => {}, lost }: LogFileParts) {
    this.#files = files;
    this.#log = log;
    this.#randomId = randomId;
    this.#othersWrite = othersWrite;
    this.#torn = torn;
    this.#lost = lost;
    this.#directory = join(directory, logDirectory(log));
    this.#path = join(this.#directory, 'log.jsonl');
    this.#mark = new AcknowledgedMark(files, this.#path);
  }

  /** True if dropping this object costs nothing but the time to read the file again. */
  get isIdle(): boolean {
    return this.#underWay === 0 && !this.#hasTold;
  }

  /** Returns the head, mostly without a look into the log: the note beside it has the length of the file that it describes. */
  async head(): Promise<LogHead | undefined> {
    return this.#use(async () => {
      if (this.#index !== undefined && !this.#othersWrite) return this.#head;
      const noted = await this.#mark.read();
      if (noted !== undefined && (await this.#endsAt(noted.end))) return noted.head;
      return this.#look(async () => this.#head);
    });
  }

  async #endsAt(end: number): Promise<boolean> {
    if (end === 0) return false;
    const last = await this.#files.read(this.#path, end - 1, end + 1).catch(() => new Uint8Array());
    return last.length === 1 && last[0] === 0x0a;
  }

  /** Returns the end of the log. */
  async end(): Promise<LogEnd> {
    return this.#look(async (index) => index && { epoch: index.epoch, lastSeq: lastSeq(index) });
  }

  /** The records after a seq, up to the one that holds another; nothing that is not durable. */
  async read(afterSeq: number, throughSeq = highestSeq): Promise<LogContents | undefined> {
    return this.#look(async (index) => {
      if (index === undefined) return undefined;
      const { epoch } = index;
      const position = firstAfter(index.seqs, afterSeq);
      const from = index.ends[position - 1] ?? index.headerEnd;
      const to = throughSeq <= afterSeq ? from : (index.ends[firstAfter(index.seqs, throughSeq - 1)] ?? lastEnd(index));
      const bytes = from === to ? new Uint8Array() : await this.#files.read(this.#path, from, to);
      if (bytes.length !== to - from) throw damaged(this.#path, 'it is shorter than it was');
      return { epoch, records: this.#decode(bytes, index.seqs[position - 1] ?? 0) };
    });
  }

  /** Returns the number of bytes after the last complete write, which belong to none. */
  async tail(): Promise<number> {
    return this.#look(async () => this.#tailLength);
  }

  /** Looks at the file by its index, and again if the file was replaced meanwhile. */
  #look<T>(look: (index: LogIndex | undefined) => Promise<T>): Promise<T> {
    return this.#use(() => this.#lookAgain(look));
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  async #lookAgain<T>(look: (index: LogIndex | undefined) => Promise<T>): Promise<T> {
    try {
      for (let attempt = 1; ; attempt += 1) {
        while (this.#replacing !== undefined) await this.#replacing.catch(() => undefined);
        const generation = this.#generation;
        try {
          if (this.#othersWrite) await this.#refresh();
          const seen = await look(await this.#load());
          if (generation === this.#generation) return seen;
        } catch (error) {
          if (generation !== this.#generation) continue;
          // The writer may just have replaced the file, or cut off a write that failed.
          if (!this.#othersWrite || attempt === patience) throw error;
          this.#index = undefined;
        }
      }
    } catch (error) {
      throw fileFailure(error, `could not read the log ${JSON.stringify(this.#log)}`);
    }
  }

  /** Forgets the index if the file has another beginning or end than it had. */
  async #refresh(): Promise<void> {
    const index = this.#index;
    if (index === undefined) return;
    const head = await this.#files.read(this.#path, 0, index.headerEnd);
    // With the newline of the last record: a file that was folded may be shorter than that by now.
    const tail = await this.#files.read(this.#path, lastEnd(index) - 1);
    const isEnd = tail[0] === 0x0a && tail.length === 1 + this.#tailLength;
    if (!isEnd || readEpoch(head, this.#path) !== index.epoch) this.#index = undefined;
  }

  append(request: AppendRequest): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#waiting.length === 1) void this.#inTurn(() => this.#commit());
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#use(() => this.#turns.run(work));
  }

  fold(request: FoldRequest): Promise<boolean> {
    return this.#inTurn(async () => {
      try {
        return await this.#fold(request);
      } catch (error) {
        throw fileFailure(error, `could not rewrite the log ${JSON.stringify(this.#log)}`);
      }
    });
  }

  /** Puts other records in the place of all, under a new epoch, and keeps nothing that was torn; `false` if the log is another. */
  rewrite(known: KnownLog, records: readonly LogRecord[]): Promise<boolean> {
    return this.#inTurn(async () => {
      try {
        const index = await this.#load();
        if (index?.epoch !== known.epoch || lastSeq(index) !== known.lastSeq) return false;
        await this.#renew(known, records);
        return true;
      } catch (error) {
        throw fileFailure(error, `could not rewrite the log ${JSON.stringify(this.#log)}`);
      }
    });
  }

  /** The same for a file that may be damaged, so that it is not looked at. */
  rewriteUnread(known: KnownLog, records: readonly LogRecord[]): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#renew(known, records);
      } catch (error) {
        throw fileFailure(error, `could not rewrite the log ${JSON.stringify(this.#log)}`);
      }
    });
  }

  async #renew(known: KnownLog, records: readonly LogRecord[]): Promise<void> {
    this.#tail = 'none';
    // A recovered log is recognized by its epoch, which ends here.
    await forgetLoss(this.#files, this.#path, known.epoch);
    const epoch = this.#randomId();
    // With the head, which describes the former contents.
    await this.#mark.remove();
    const format = Math.max(known.format ?? firstFormat, this.#index?.format ?? firstFormat);
    await this.#note(await this.#replace({ epoch, format }, encodeLines(records)), undefined);
  }

  /** Cuts off the bytes behind the last complete write, and removes the remains of torn writes; keeps nothing of them. */
  forgetTorn(removeLeftovers: (folder: string) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await removeLeftovers(this.#directory);
        const index = await this.#load();
        if (index === undefined || this.#tail === 'none') return;
        this.#tail = 'failed';
        await this.#cut(index);
      } catch (error) {
        throw fileFailure(error, `could not rewrite the log ${JSON.stringify(this.#log)}`);
      }
    });
  }

  /** Commits everything that has gathered since the last turn: one write and one wait for the disk. */
  async #commit(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const index = await this.#load();
      let end = index && { epoch: index.epoch, lastSeq: lastSeq(index) };
      const records: NewRecord[] = [];
      const answers: (() => void)[] = [];
      let head = this.#head;
      let format = index?.format ?? firstFormat;
      for (const waiting of group) {
        const { request, resolve, reject } = waiting;
        try {
          const verdict = judgeAppend(this.#log, end, request);
          if (verdict.type === 'conflict') {
            // Answered when the records before it are durable, since the writer did not know them.
            answers.push(() => void this.#conflict(verdict.afterSeq).then(resolve, reject));
            continue;
          }
          end = { epoch: end?.epoch ?? this.#randomId(), lastSeq: lastSeqOf(request.records, request.expectedSeq) };
          const { epoch } = end;
          records.push(...request.records);
          if (request.head !== 'same') head = request.head;
          format = Math.max(format, request.format ?? firstFormat);
          answers.push(() => resolve({ ok: true, epoch }));
        } catch (error) {
          reject(error);
        }
      }
      if (end !== undefined && records.length > 0) {
        const written =
          index === undefined
            ? await this.#begin({ epoch: end.epoch, format }, records)
            : await this.#write(index.format < format ? await this.#raise(index, format) : index, records);
        await this.#note(written, head);
      }
      for (const answer of answers) answer();
    } catch (error) {
      // If one log may not be created or changed, the others can do without it.
      const failure =
        error instanceof Error && isDenied(error)
          ? denied(this.#path, error)
          : fileFailure(error, `could not append to the log ${JSON.stringify(this.#log)}`);
      for (const { reject } of group) reject(failure);
    }
  }

  async #conflict(afterSeq: number): Promise<AppendResult> {
    const contents = await this.read(afterSeq);
    if (contents === undefined) throw damaged(this.#path, 'it is gone');
    return { ok: false, conflict: { epoch: contents.epoch, tail: contents.records } };
  }

  /** Notes the state on the disk. */
  async #note(index: LogIndex, head: LogHead | undefined): Promise<void> {
    this.#head = head;
    await this.#mark.write({ epoch: index.epoch, seq: lastSeq(index), end: lastEnd(index), head });
  }

  /** The same log, which older versions refuse from now on. Once for each log, before the first record that they could not read. */
  async #raise(index: LogIndex, format: number): Promise<LogIndex> {
    await this.#cut(index);
    const { epoch } = index;
    const bytes = await this.#files.read(this.#path, index.headerEnd, lastEnd(index));
    if (bytes.length !== lastEnd(index) - index.headerEnd) throw damaged(this.#path, 'it is shorter than it was');
    return this.#replace({ epoch, format }, sameLines(bytes, index));
  }

  async #begin(about: Pick<LogIndex, 'epoch' | 'format'>, records: readonly LogRecord[]): Promise<LogIndex> {
    await makeDirectory(this.#files, this.#directory);
    const lost = await this.#mark.read();
    if (lost !== undefined) await keepLoss(this.#files, this.#path, lost);
    return this.#replace(about, encodeLines(records));
  }

  async #write(index: LogIndex, records: readonly NewRecord[]): Promise<LogIndex> {
    const from = lastSeq(index) + 1;
    const write = { from, to: records.at(-1)?.seq ?? from };
    const lines = records.map(({ seq, first = seq, text }) =>
      encoder.encode(encodeRecord({ first, seq, write }, text)),
    );
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
      index.seqs.push(records[position]?.seq ?? from);
    }
    return index;
  }

  async #fold({ epoch, first, record }: FoldRequest): Promise<boolean> {
    const index = await this.#load();
    if (index === undefined || index.epoch !== epoch) return false;
    const start = firstAfter(index.seqs, first - 1);
    const end = firstAfter(index.seqs, record.seq - 1);
    if ((index.seqs[start - 1] ?? 0) !== first - 1 || index.seqs[end] !== record.seq) return false;
    await this.#cut(index);
    const bytes = await this.#files.read(this.#path, index.headerEnd, lastEnd(index));
    if (bytes.length !== lastEnd(index) - index.headerEnd) throw damaged(this.#path, 'it is shorter than it was');
    const lines = foldLines(bytes, index, { start, end, record });
    if (lines === undefined) throw damaged(this.#path, `a record beside ${first} to ${record.seq} cannot be read`);
    const head = this.#head;
    await this.#note(await this.#replace({ epoch, format: index.format }, lines), head);
    return true;
  }

  /** Puts a whole new file in the place of the old one. If that fails it is unknown which of them is there: it is read again. */
  #replace(about: Pick<LogIndex, 'epoch' | 'format'>, lines: LogLines): Promise<LogIndex> {
    const replace = async (): Promise<LogIndex> => {
      // From here on readers wait; a load that one of them has begun is about the old file.
      await this.#loading?.catch(() => undefined);
      this.#generation += 1;
      this.#index = undefined;
      const header = encoder.encode(encodeHeader(this.#log, about, lines.seqs.at(-1) ?? 0));
      const bytes = Buffer.concat([header, ...lines.chunks]);
      await writeDurably(this.#files, { path: this.#path, bytes });
      this.#index = indexLines(about, header.length, lines);
      return this.#index;
    };
    this.#replacing = replace().finally(() => (this.#replacing = undefined));
    return this.#replacing;
  }

  /** Removes the bytes behind the last good one, after a torn write has been put aside. */
  async #cut(index: LogIndex): Promise<void> {
    if (this.#tail === 'none') return;
    const end = lastEnd(index);
    if (this.#tail === 'torn') {
      const bytes = await this.#files.read(this.#path, end);
      const path = `${this.#path}.torn-${lastSeq(index) + 1}-${checksum(bytes)}`;
      if (bytes.length > 0) {
        await writeDurably(this.#files, { path, bytes });
        this.#torn({ log: this.#log, kept: path, bytes: bytes.length });
      }
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
      return await this.#find().catch((error: unknown) => {
        if (failedWith(error, 'ENOENT')) return this.#miss();
        throw error;
      });
    } catch (error) {
      if (failedWith(error, 'EISDIR')) throw damaged(this.#path, 'a folder is in its place');
      throw error instanceof Error && isDenied(error) ? denied(this.#path, error) : error;
    }
  }

  /** Handles a missing log. If there was one, the process that opened the directory is notified. */
  async #miss(): Promise<LogIndex | undefined> {
    const tell = this.#lost;
    const acknowledged = tell && (await this.#mark.read());
    if (acknowledged === undefined) return undefined;
    // Another process may have begun it, and noted that, since it was looked for.
    return this.#find().catch((error: unknown) => {
      if (!failedWith(error, 'ENOENT')) throw error;
      this.#lost = undefined;
      this.#hasTold = true;
      tell?.({ log: this.#log, epoch: acknowledged.epoch, seq: acknowledged.seq });
      return undefined;
    });
  }

  async #find(): Promise<LogIndex> {
    // A killed process may have left bytes that are in the file but not on the disk. A reader may build on them.
    await withFile(this.#files, this.#path, 'change', (file) => file.sync());
    await this.#files.syncDirectory(this.#directory);
    // Before the log: a process that writes to it meanwhile is ahead of the note, never behind.
    const acknowledged = await this.#mark.read();
    const { index, torn } = scanLog(this.#log, this.#path, await this.#files.read(this.#path));
    if (acknowledged?.epoch === index.epoch && acknowledged.seq > lastSeq(index)) {
      throw cutOff(this.#path, lastSeq(index), acknowledged.seq, this.#mark.path);
    }
    this.#tail = torn > 0 ? 'torn' : 'none';
    this.#tailLength = torn;
    this.#head =
      acknowledged?.epoch === index.epoch && acknowledged.seq === lastSeq(index) ? acknowledged.head : undefined;
    this.#index = index;
    return index;
  }

  /** The records of some lines, the first of which follows a seq. */
  #decode(bytes: Uint8Array, after: number): LogRecord[] {
    const records: LogRecord[] = [];
    for (let position = 0; position < bytes.length;) {
      const end = bytes.indexOf(0x0a, position);
      const line = end === -1 ? undefined : decodeRecord(bytes.subarray(position, end));
      const before = records.at(-1)?.seq ?? after;
      if (line?.place.first !== before + 1)
        throw damaged(this.#path, `the record after ${before} is missing or cannot be read`);
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

// The number of times a file is found changed while it is read before it counts as damaged.
const patience = 4;

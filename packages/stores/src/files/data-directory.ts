import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AppendRequest, HeadsRequest, ListedLog, LogHead, ProjectionRequest } from '@loom/kernel/store';
import { isAboutOneLog, pageOfHeads, StoreError } from '@loom/kernel/store';
import { BlobFiles } from '../blobs/blob-files.ts';
import { highestClientIn } from '../client-numbers.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith, isDenied } from '../disk/files-port.ts';
import type { Listeners } from '../listeners.ts';
import { AcknowledgedMark } from './log/acknowledged-mark.ts';
import type { Acknowledged } from './log/acknowledged-mark.ts';
import { ClientIds } from './client-ids.ts';
import { Leases } from './leases.ts';
import { logDirectory, logOfDirectory } from './log/log-directory.ts';
import { LogFile } from './log/log-file.ts';
import type { LogFileParts } from './log/log-file.ts';
import { readLogName } from './log/log-scan.ts';
import { OnceFile } from './once-file.ts';
import { ProjectionFile } from './projections/projection-file.ts';
import { RecentFiles } from './recent-files.ts';
import { SealedFile } from './sealed-file.ts';

type LogOptions = Pick<LogFileParts, 'othersWrite' | 'torn' | 'lost'>;

/** The state that all handles of one process on one directory share, so that they take turns. */
export class DataDirectory {
  readonly #files: FilesPort;
  readonly #path: string;
  readonly #about: LogOptions;
  readonly #logs = new RecentFiles<LogFile>();
  readonly #projections = new RecentFiles<ProjectionFile>();
  /** The times of all heads, once they were asked for. */
  #headTimes: Map<string, number | undefined> | undefined;
  readonly #projectionWrites = new Set<Promise<boolean>>();
  /** Resolves once the rewriting of logs has ended. */
  #rewriting: Promise<void> | undefined;
  readonly handles = new Set<Listeners>();
  /** The sealed files, by name. */
  readonly sealedFiles: ReadonlyMap<string, SealedFile>;
  readonly clientIds: ClientIds;
  readonly leases: Leases;
  readonly once: OnceFile;
  readonly blobs: BlobFiles;

  constructor(files: FilesPort, path: string, about: LogOptions & { now?: () => number } = {}) {
    this.#about = about;
    this.#files = files;
    this.#path = path;
    const clientIds = new SealedFile(files, join(path, 'client-ids.json'));
    const leases = new SealedFile(files, join(path, 'leases.json'));
    const once = new SealedFile(files, join(path, 'once.json'));
    this.clientIds = new ClientIds(clientIds, () => this.#highestClient());
    this.leases = new Leases(leases);
    this.once = new OnceFile(once);
    this.sealedFiles = new Map([
      ['client-ids.json', clientIds],
      ['leases.json', leases],
      ['once.json', once],
    ]);
    this.blobs = new BlobFiles(join(path, 'blobs'), files, about.now);
  }

  log(log: string): LogFile {
    return this.#logs.get(
      log,
      () => new LogFile({ ...this.#about, files: this.#files, directory: this.#path, log, randomId: randomUUID }),
    );
  }

  projection(log: string, name: string): ProjectionFile {
    return this.#projections.get(
      JSON.stringify([log, name]),
      () => new ProjectionFile({ files: this.#files, directory: this.#path, log, name }),
    );
  }

  /** Makes or extends a projection, when no logs are being rewritten. */
  async writeProjection(log: string, name: string, request: ProjectionRequest): Promise<boolean> {
    while (this.#rewriting !== undefined) await this.#rewriting;
    const write = async (): Promise<boolean> => this.projection(log, name).write(await this.log(log).end(), request);
    const writing = write();
    this.#projectionWrites.add(writing);
    try {
      return await writing;
    } finally {
      this.#projectionWrites.delete(writing);
    }
  }

  /** Does work during which no projection is written: one that had begun could bring back the former contents of a log. */
  async withoutProjectionWrites<T>(work: () => Promise<T>): Promise<T> {
    while (this.#rewriting !== undefined) await this.#rewriting;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rewriting = promise;
    try {
      await Promise.allSettled(this.#projectionWrites);
      return await work();
    } finally {
      this.#rewriting = undefined;
      resolve();
    }
  }

  /** A page of the logs, with their heads. */
  async heads(request: HeadsRequest): Promise<ListedLog[]> {
    const isNew = this.#about.othersWrite === true && request.after === undefined;
    if (this.#headTimes === undefined || isNew) this.#headTimes = await this.#readHeadTimes();
    const logs = Array.from(this.#headTimes, ([log, time]) => (time === undefined ? { log } : { log, head: { time } }));
    return inGroups(pageOfHeads(logs, request), async ({ log, head: place }) => {
      const head = place && (await this.#headOf(log));
      return head === undefined ? { log } : { log, head: { ...head, ...place } };
    });
  }

  /** Takes note of an append to a log. */
  noteHead(log: string, head: AppendRequest['head']): void {
    const times = this.#headTimes;
    if (times === undefined || (head === 'same' && times.has(log))) return;
    times.set(log, typeof head === 'object' ? head.time : undefined);
  }

  async #readHeadTimes(): Promise<Map<string, number | undefined>> {
    const logs = await this.logNames();
    return new Map(await inGroups(logs, async (log) => [log, (await this.#headOf(log))?.time] as const));
  }

  /**
   * Returns the head of a log, or nothing if it cannot be read: a caller that opens such a log gets the error; one that asks for all logs
   * gets the others.
   */
  async #headOf(log: string): Promise<LogHead | undefined> {
    return this.log(log)
      .head()
      .catch((error: unknown) => {
        if (!isAboutOneLog(error)) throw error;
        return undefined;
      });
  }

  /** Returns true if a log has a file. */
  async holds(log: string): Promise<boolean> {
    return (await this.#logName(logDirectory(log))) === log;
  }

  /** Returns true if the file of a log says that it is that log: others may call theirs `log.jsonl`, too. */
  async isNamed(log: string): Promise<boolean> {
    const file = join(this.#path, logDirectory(log), 'log.jsonl');
    try {
      return readLogName(await this.#files.read(file), file) === log;
    } catch (error) {
      return error instanceof StoreError && error.code === 'store-newer';
    }
  }

  /** Returns the logs that have a file, sorted; none if there is no directory. */
  async logNames(): Promise<string[]> {
    try {
      const entries = await this.#files.list(this.#path).catch(noneIfMissing);
      const names = await Promise.all(entries.map((entry) => this.#logName(entry)));
      return names.filter((name) => name !== undefined).sort();
    } catch (error) {
      throw fileFailure(error, `could not list the logs of ${this.#path}`);
    }
  }

  /** The highest number of a client that a log names, 1 if there is none. Logs that cannot be read are passed over. */
  async #highestClient(): Promise<number> {
    let highest = 1;
    for (const log of await this.logNames()) {
      const contents = await this.log(log)
        .read(0)
        .catch((error: unknown) => {
          if (!isAboutOneLog(error)) throw error;
          return undefined;
        });
      for (const { text } of contents?.records ?? []) highest = Math.max(highest, highestClientIn(text));
    }
    return highest;
  }

  /** Returns the last acknowledged change of each log whose file is gone, by the name of its directory; sorted. */
  async lostLogs(): Promise<Map<string, Acknowledged>> {
    const lost = new Map<string, Acknowledged>();
    for (const entry of (await this.#files.list(this.#path).catch(noneIfMissing)).sort()) {
      if (logOfDirectory(entry) === undefined) continue;
      const directory = join(this.#path, entry);
      const log = join(directory, 'log.jsonl');
      // Before the log: a process that begins one meanwhile notes that afterwards.
      const acknowledged = await new AcknowledgedMark(this.#files, log).read();
      if (acknowledged === undefined) continue;
      // The folder may be one that can be entered but not listed. The reader of a log reports what is wrong with it.
      const isThere = await this.#files.read(log, 0, 1).then(
        () => true,
        (error: unknown) => !failedWith(error, 'ENOENT'),
      );
      if (!isThere) lost.set(entry, acknowledged);
    }
    return lost;
  }

  async #logName(entry: string): Promise<string | undefined> {
    const named = logOfDirectory(entry);
    if (named === undefined) return undefined;
    const directory = join(this.#path, entry);
    const present = await this.#files.list(directory).catch(closedOrMissing);
    // A folder that may not be opened may hold a log, so it must not count as having none.
    if (present === 'closed') return named === 'hashed' ? undefined : named.log;
    if (!present.includes('log.jsonl')) return undefined;
    if (named !== 'hashed') return named.log;
    const file = join(directory, 'log.jsonl');
    const log = readLogName(await this.#files.read(file), file);
    return log !== undefined && logDirectory(log) === entry ? log : undefined;
  }
}

/** Does something with each, some of them at once. */
async function inGroups<T, U>(values: readonly T[], work: (value: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (let start = 0; start < values.length; start += atOnce) {
    done.push(...(await Promise.all(values.slice(start, start + atOnce).map(work))));
  }
  return done;
}

const atOnce = 16;

function noneIfMissing(error: unknown): string[] {
  if (failedWith(error, 'ENOTDIR') || failedWith(error, 'ENOENT')) return [];
  throw error;
}

function closedOrMissing(error: unknown): string[] | 'closed' {
  return isDenied(error) ? 'closed' : noneIfMissing(error);
}

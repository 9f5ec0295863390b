import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BlobFiles } from '../blob-files.ts';
import { fileFailure } from '../file-failure.ts';
import type { FilesPort } from '../files-port.ts';
import { failedWith } from '../files-port.ts';
import type { Listeners } from '../listeners.ts';
import { ClientIds } from './client-ids.ts';
import { Leases } from './leases.ts';
import { logDirectory, logOfDirectory } from './log-directory.ts';
import { LogFile } from './log-file.ts';
import { readLogName } from './log-scan.ts';
import { ProjectionFile } from './projection-file.ts';
import { SealedFile } from './sealed-file.ts';

/** What all handles of one process on one directory share, so that they take turns. */
export class DataDirectory {
  readonly #files: FilesPort;
  readonly #path: string;
  readonly #logs = new Map<string, LogFile>();
  readonly #projections = new Map<string, ProjectionFile>();
  readonly handles = new Set<Listeners>();
  readonly clientIds: ClientIds;
  readonly leases: Leases;
  readonly blobs: BlobFiles;

  constructor(files: FilesPort, path: string) {
    this.#files = files;
    this.#path = path;
    this.clientIds = new ClientIds(new SealedFile(files, join(path, 'client-ids.json')));
    this.leases = new Leases(new SealedFile(files, join(path, 'leases.json')));
    this.blobs = new BlobFiles(join(path, 'blobs'), files);
  }

  log(log: string): LogFile {
    const present = this.#logs.get(log);
    if (present !== undefined) return present;
    const file = new LogFile({ files: this.#files, directory: this.#path, log, randomId: randomUUID });
    this.#logs.set(log, file);
    return file;
  }

  projection(log: string, name: string): ProjectionFile {
    const key = JSON.stringify([log, name]);
    const present = this.#projections.get(key);
    if (present !== undefined) return present;
    const file = new ProjectionFile({ files: this.#files, directory: this.#path, log, name });
    this.#projections.set(key, file);
    return file;
  }

  async logNames(): Promise<string[]> {
    try {
      const names = await Promise.all((await this.#files.list(this.#path)).map((entry) => this.#logName(entry)));
      return names.filter((name) => name !== undefined).sort();
    } catch (error) {
      throw fileFailure(error, `could not list the logs of ${this.#path}`);
    }
  }

  async #logName(entry: string): Promise<string | undefined> {
    const named = logOfDirectory(entry);
    if (named === undefined) return undefined;
    const directory = join(this.#path, entry);
    const present = await this.#files.list(directory).catch((error: unknown): string[] => {
      if (failedWith(error, 'ENOTDIR') || failedWith(error, 'ENOENT')) return [];
      throw error;
    });
    if (!present.includes('log.jsonl')) return undefined;
    if (named !== 'hashed') return named.log;
    const file = join(directory, 'log.jsonl');
    const log = readLogName(await this.#files.read(file), file);
    return log !== undefined && logDirectory(log) === entry ? log : undefined;
  }
}

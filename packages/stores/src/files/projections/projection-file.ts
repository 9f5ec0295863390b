import { join } from 'node:path';
import type { Projection, ProjectionRequest } from '@loom/kernel/store';
import type { LogEnd } from '../../append-verdict.ts';
import { withFile, writeDurably, writeFully } from '../../disk/durable-files.ts';
import { fileFailure } from '../../disk/file-failure.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import { failedWith, isDenied } from '../../disk/files-port.ts';
import { assembleProjection, judgeProjection } from '../../projection-verdict.ts';
import { logDirectory, projectionFile } from '../log/log-directory.ts';
import type { WrittenProjection } from './projection-lines.ts';
import { encodeWrite, readWrites } from './projection-lines.ts';
import { Turns } from '../../turns.ts';

/**
 * One projection in its file beside the log. Writes are added at the end and not synced: anything a crash takes away is derived from the
 * log again. A file that is not exactly a number of complete writes is not a projection.
 */
export class ProjectionFile {
  readonly #files: FilesPort;
  readonly #path: string;
  readonly #name: string;
  readonly #turns = new Turns();
  /** The known contents of the file; `undefined` until it is read, and after a failure. */
  #known: { present: Known | undefined } | undefined;

  constructor({ files, directory, log, name }: { files: FilesPort; directory: string; log: string; name: string }) {
    this.#files = files;
    this.#name = name;
    this.#path = join(directory, logDirectory(log), projectionFile(name));
  }

  /** True if no work is under way. */
  get isIdle(): boolean {
    return this.#turns.isIdle;
  }

  /** Reads the projection, if it was derived from the present log. */
  read(end: LogEnd, prefix: string): Promise<Projection | undefined> {
    return this.#run('read', async () => {
      const written = readWrites(this.#name, await this.#bytes(), prefix);
      if (written === undefined || end === undefined || written.epoch !== end.epoch) return undefined;
      return written.seq > end.lastSeq ? undefined : assembleProjection(written, prefix);
    });
  }

  write(end: LogEnd, request: ProjectionRequest): Promise<boolean> {
    return this.#run('write', async () => {
      if (this.#known === undefined) await this.#load();
      const present = this.#known?.present;
      if (!judgeProjection(end, present, request)) return false;
      this.#known = undefined;
      if (request.base === undefined || present === undefined) await this.#replace(request);
      else if (present.lines > 2 * present.keys.size + spareLines) return this.#rewrite(request);
      else return this.#extend(present, request);
      return true;
    });
  }

  async #replace(request: ProjectionRequest): Promise<void> {
    const bytes = encodeWrite(this.#name, { ...request, base: undefined, drop: [] });
    await writeDurably(this.#files, { path: this.#path, bytes });
    const { epoch, seq, put } = request;
    const keys = new Set(put.map(({ key }) => key));
    this.#known = { present: { epoch, seq, keys, lines: put.length, end: bytes.length } };
  }

  async #extend({ keys, lines, end }: Known, request: ProjectionRequest): Promise<boolean> {
    const bytes = encodeWrite(this.#name, request);
    try {
      await withFile(this.#files, this.#path, 'change', (file) => writeFully(file, bytes, end));
    } catch (error) {
      if (failedWith(error, 'ENOENT') || isDenied(error)) return false;
      throw error;
    }
    const { epoch, seq, put, drop } = request;
    for (const key of drop) keys.delete(key);
    for (const { key } of put) keys.add(key);
    const added = put.length + drop.length;
    this.#known = { present: { epoch, seq, keys, lines: lines + added, end: end + bytes.length } };
    return true;
  }

  /** Rewrites a file most of which is about parts that were replaced since. */
  async #rewrite(request: ProjectionRequest): Promise<boolean> {
    const written = await this.#load();
    if (written === undefined || written.seq !== request.base) return false;
    for (const key of request.drop) written.parts.delete(key);
    for (const { key, text } of request.put) written.parts.set(key, text);
    this.#known = undefined;
    await this.#replace({ ...request, put: Array.from(written.parts, ([key, text]) => ({ key, text })) });
    return true;
  }

  async #load(): Promise<WrittenProjection | undefined> {
    const bytes = await this.#bytes();
    const written = readWrites(this.#name, bytes);
    const present = written && { ...written, keys: new Set(written.parts.keys()), end: bytes.length };
    this.#known = { present };
    return written;
  }

  #bytes(): Promise<Uint8Array> {
    return this.#files.read(this.#path).catch((error: unknown) => {
      if (failedWith(error, 'ENOENT') || isDenied(error)) return new Uint8Array();
      throw error;
    });
  }

  #run<T>(what: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      try {
        return await work();
      } catch (error) {
        throw fileFailure(error, `could not ${what} ${this.#path}`);
      }
    });
  }
}

interface Known {
  epoch: string;
  seq: number;
  keys: Set<string>;
  /** The number of parts put or dropped in the file altogether. */
  lines: number;
  end: number;
}

// A small projection is not rewritten all the time.
const spareLines = 50;

import { basename } from 'node:path';
import type { BlobPort, ImportReport, JobHandle } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import { Tally } from '../foreign/foreign.ts';
import { bytesOf } from './file-bytes.ts';
import { beginningOf, fileProblem, findFile, scanFiles } from './file-scan.ts';
import { nameOf, recognize } from './format.ts';
import type { ForeignFormat, FoundFile } from './format.ts';
import type { KeptLines } from './import-note.ts';
import { Importer } from './importer.ts';
import { KeptBytes } from './kept-bytes.ts';
import { LineFile } from './line-file.ts';
import type { Origins } from './origins.ts';
import type { ImportRemark } from './reporting/import-remarks.ts';
import { ReportWriter } from './reporting/report.ts';

/** The parts that imports work with. */
export interface ImportSetup {
  forest: Forest;
  blobs: Pick<BlobPort, 'put'>;
  newId: () => string;
  origins: Origins;
  formats: readonly ForeignFormat[];
  /** Closes what an earlier process left open in a conversation. */
  settle?: (root: string) => Promise<unknown>;
}

export interface ImportRequest {
  /** Files, which are read in any case, and folders to search. */
  paths: readonly string[];
  /** Files that were found already; those with a separate name are read in any case. */
  found?: readonly FoundFile[];
  /** Folders that could not be searched, with the reason. */
  unread?: ReadonlyMap<string, Error>;
  /** Reads files again that have not changed since they were imported. */
  again?: boolean;
  /** Called with remarks for people about the imported content, beside the report. */
  remarked?: (remark: ImportRemark) => void;
}

/** Imports the histories of other programs. A canceled import keeps the part done so far; running it again continues from there. */
export async function runImport(setup: ImportSetup, request: ImportRequest, job: JobHandle): Promise<ImportReport> {
  const report = new ReportWriter(request.remarked);
  job.report('looking for files', 0);
  await setup.origins.refresh(setup.forest);
  const files: FoundFile[] = [...(request.found ?? [])];
  const warnOf = (path: string, error: Error): void => report.warn(`${path}: ${fileProblem(error)}`);
  for (const [folder, error] of request.unread ?? []) warnOf(folder, error);
  for (const path of request.paths) {
    try {
      for (const file of await scanFiles(path, warnOf)) files.push(file);
    } catch (error) {
      if (!isAboutFile(error)) throw error;
      warnOf(path, error);
    }
  }
  const run = new ImportRun({ setup, report, job, total: files.reduce((sum, { bytes }) => sum + bytes, 1) });
  for (const file of files) {
    if (job.signal.aborted) break;
    const isNamed = file.name !== undefined || request.paths.includes(file.path);
    await run.file(file, request.again === true || isNamed);
  }
  return report.end(job.signal.aborted);
}

interface RunOptions {
  setup: ImportSetup;
  report: ReportWriter;
  job: JobHandle;
  /** Bytes of all files. */
  total: number;
}

class ImportRun {
  readonly #options: RunOptions;
  readonly #seen = new Set<string>();
  readonly #held = new Set<string>();
  #done = 0;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  /** Imports one file, after those that it builds on. */
  async file(file: FoundFile, again: boolean): Promise<void> {
    if (this.#seen.has(file.path)) return;
    this.#seen.add(file.path);
    const { setup, report, job } = this.#options;
    const before = this.#done;
    try {
      if (!again && setup.origins.isTaken(file)) return report.unchanged();
      const beginning = await beginningOf(file.path);
      const format = await recognize(setup.formats, file.path, beginning);
      if (format === undefined) {
        if (!setup.formats.some((other) => other.isPart?.(file.path) === true)) report.unknown(nameOf(file));
        setup.origins.noteRead(file);
        return;
      }
      job.report(basename(nameOf(file)), this.#progress());
      if (format.form === 'document') return await this.#document(format, file);
      await this.#required(format, file, beginning, again);
      await this.#lines(format, file);
    } catch (error) {
      if (!isAboutFile(error)) throw error;
      report.warn(`${nameOf(file)}: ${fileProblem(error)}`);
    } finally {
      this.#done = before + file.bytes;
    }
  }

  async #lines(format: Extract<ForeignFormat, { form: 'lines' }>, file: FoundFile): Promise<void> {
    const { setup, report, job } = this.#options;
    const importer = new Importer({ ...setup, source: format.source, modified: file.modified });
    const reader = await format.open(file);
    const lines = new LineFile({ path: file.path, reader, importer, blobs: setup.blobs });
    const progress = (bytes: number): void => {
      this.#done += bytes;
      job.report(basename(nameOf(file)), this.#progress());
    };
    await lines.readOn({ signal: job.signal, progress, isLast: true });
    if (!job.signal.aborted) {
      await importer.noteFile(file);
      setup.origins.noteRead(file);
    }
    reader.tally.keptBeside(importer.others.size);
    report.file(nameOf(file), reader.tally);
    report.imported(importer, nameOf(file));
    await this.#release(importer);
  }

  async #document(format: Extract<ForeignFormat, { form: 'document' }>, file: FoundFile): Promise<void> {
    const { setup, report, job } = this.#options;
    const importer = new Importer({
      ...setup,
      source: format.source,
      rewrites: true,
      modified: file.modified,
    });
    const tally = new Tally();
    for await (const items of format.read({ file, tally })) {
      await importer.take(items);
      if (job.signal.aborted) break;
    }
    if (!job.signal.aborted) {
      if (importer.keepsLines === true && isWorthKeeping(file))
        await importer.keepLines(await keepWhole(file.path, setup.blobs));
      await importer.noteFile(file);
      setup.origins.noteRead(file);
    }
    tally.keptBeside(importer.others.size);
    report.file(nameOf(file), tally);
    report.imported(importer, nameOf(file));
    await this.#release(importer);
  }

  async #required(
    format: Extract<ForeignFormat, { form: 'lines' }>,
    file: FoundFile,
    beginning: string,
    again: boolean,
  ): Promise<void> {
    for (const path of (await format.requires?.(file, beginning)) ?? []) {
      const required = await findFile(path);
      if (required !== undefined) await this.file(required, again);
    }
  }

  /**
   * Releases imported conversations, so that memory does not grow with their number; one that is still being written is released later. Followers of
   * the logs, such as the writer of the readable files beside them, lag behind and load them once more: so each of the last ones is released again
   * and again.
   */
  async #release({ roots }: Importer): Promise<void> {
    const { forest } = this.#options.setup;
    for (const root of roots) await forest.log(root).saveSnapshot({ onlyDue: true });
    for (const root of roots) this.#held.delete(root);
    for (const root of roots) this.#held.add(root);
    let left = this.#held.size - mostHeld;
    for (const root of this.#held) {
      const isReleased = forest.log(root).releaseAtOnce();
      if (left > 0 && isReleased) this.#held.delete(root);
      left -= 1;
    }
  }

  #progress(): number {
    return Math.min(this.#done / this.#options.total, 1);
  }
}

/** The number of imported conversations that may be loaded once more. */
const mostHeld = 100;

/** Returns true if a document is to be kept verbatim: not an archive with images, or a huge one. */
function isWorthKeeping({ path, bytes }: FoundFile): boolean {
  return /\.jsonl?$/u.test(path) && bytes <= largestKept;
}

const largestKept = 64 * 1024 * 1024;

async function keepWhole(path: string, blobs: ImportSetup['blobs']): Promise<KeptLines[]> {
  const kept = new KeptBytes(blobs);
  for await (const chunk of bytesOf(path)) await kept.push(chunk);
  return kept.end();
}

/**
 * Checks that an error is about one file: it cannot be opened, must not be imported, or breaks its reader. The others can still be read; without the
 * store nothing can.
 */
function isAboutFile(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return error instanceof Error && !(typeof code === 'string' && code.startsWith('store-'));
}

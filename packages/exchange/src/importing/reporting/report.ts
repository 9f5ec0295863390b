import type { ImportReport } from '@loom/kernel';
import type { Tally } from '../../foreign/foreign.ts';
import type { Importer } from '../importer.ts';
import { remarksOf } from './import-remarks.ts';
import type { ImportRemark } from './import-remarks.ts';

/** The most warnings and conversations that are named; the rest is counted. */
const mostWarnings = 200;
const mostRoots = 1000;

/** Gathers the results of an import, file by file. */
export class ReportWriter {
  readonly #report: ImportReport = {
    files: 0,
    files_unchanged: 0,
    files_unknown: 0,
    lines_read: 0,
    lines_used: 0,
    lines_raw: 0,
    lines_reported: 0,
    roots_added: 0,
    nodes_added: 0,
    blocks_added: 0,
    sources: {},
    roots: [],
    unknown_kinds: {},
    warnings: [],
    cancelled: false,
  };
  readonly #sources = new Map<string, ImportReport['sources'][string]>();
  readonly #roots = new Set<string>();
  readonly #kinds = new Map<string, number>();
  readonly #remarked: ((remark: ImportRemark) => void) | undefined;
  #more = 0;
  #secrets = 0;

  constructor(remarked?: (remark: ImportRemark) => void) {
    this.#remarked = remarked;
  }

  unchanged(): void {
    this.#report.files_unchanged += 1;
  }

  unknown(path: string): void {
    this.#report.files_unknown += 1;
    this.warn(`${path}: not a history that Loom can read; left alone`);
  }

  file(path: string, tally: Tally): void {
    const { read, used, raw, reported } = tally.counts;
    this.#report.files += 1;
    this.#report.lines_read += read;
    this.#report.lines_used += used;
    this.#report.lines_raw += raw;
    this.#report.lines_reported += reported;
    for (const [kind, times] of tally.unknown) this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + times);
    for (const [remark, times] of tally.remarks)
      this.warn(`${path}: ${remark}${times === 1 ? '' : ` (${times} times)`}`);
  }

  imported(
    importer: Pick<
      Importer,
      'source' | 'counts' | 'secrets' | 'roots' | 'deleted' | 'hidden' | 'shownAgain' | 'others' | 'withheld'
    >,
    path: string,
  ): void {
    const { source, counts, roots } = importer;
    const before = this.#sources.get(source);
    this.#sources.set(source, {
      files: (before?.files ?? 0) + 1,
      roots_added: (before?.roots_added ?? 0) + counts.roots_added,
      nodes_added: (before?.nodes_added ?? 0) + counts.nodes_added,
    });
    this.#report.roots_added += counts.roots_added;
    this.#report.nodes_added += counts.nodes_added;
    this.#report.blocks_added += counts.blocks_added;
    this.#secrets += importer.secrets;
    for (const root of roots) if (this.#roots.size < mostRoots) this.#roots.add(root);
    for (const remark of remarksOf(importer, path)) {
      this.warn(remark.text);
      this.#remarked?.(remark);
    }
  }

  warn(text: string): void {
    if (this.#report.warnings.length < mostWarnings) this.#report.warnings.push(text);
    else this.#more += 1;
  }

  end(cancelled: boolean): ImportReport {
    const more = this.#more === 0 ? [] : [`${this.#more} more warnings`];
    return {
      ...this.#report,
      sources: Object.fromEntries(this.#sources),
      roots: [...this.#roots],
      unknown_kinds: Object.fromEntries(this.#kinds),
      warnings: [...this.#report.warnings, ...more],
      ...(this.#secrets === 0 ? {} : { secrets: this.#secrets }),
      cancelled,
    };
  }
}

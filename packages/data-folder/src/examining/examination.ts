import type { UnreadableChange } from '@loom/kernel/logs';
import type { FilesReport, NodeFileProblem, QuarantinedFile } from '@loom/node-files';
import type { StoreMaintenance, StoreProblem } from '@loom/stores/maintenance';
import type { FolderNews } from '../folder-news.ts';

/** A present or repaired problem of a data folder. */
export type Finding =
  /** The store's own report. `nodes`: the number of nodes of a conversation whose log is lost. */
  | { type: 'store'; problem: StoreProblem; nodes?: number }
  /** Changes were taken out of a log, and are kept in a file. */
  | SetAside
  /** A conversation is listed, and has no log. */
  | { type: 'missing-log'; root: string }
  /** A log cannot be read, or its changes do not fit together. */
  | { type: 'unreadable-log'; root: string; error: unknown }
  /** A conversation with nodes is not in the list of conversations. */
  | { type: 'unlisted-log'; root: string; nodes: number }
  /** A snapshot did not match its log, and was dropped. */
  | { type: 'wrong-snapshot'; root: string }
  /** A head did not match its log, and was rebuilt. */
  | { type: 'wrong-head'; root: string }
  /** A cited blob is missing, or cannot be read. */
  | { type: 'blob'; blob: string; error?: unknown }
  /** A report about a node file. */
  | { type: 'file'; report: FilesReport }
  /** A node file without a log cannot be read. */
  | { type: 'older-data'; problem: NodeFileProblem }
  | { type: 'quarantined'; file: QuarantinedFile };

/** Changes that were taken out of a log, the nodes that lost their parents by that, and the file that keeps them. */
export interface SetAside {
  type: 'set-aside';
  log: string;
  changes: readonly UnreadableChange[];
  /** The nodes whose parents are gone: they begin branches now. */
  orphans: readonly string[];
  /** Below the data folder. */
  kept: string;
}

/** The results of an examination. */
export interface Examination {
  roots: number;
  nodes: number;
  blobs: number;
  /** Blobs that were removed, since nothing cites them. */
  sweptBlobs: number;
  findings: Finding[];
}

export function createExamination(): Examination {
  return { roots: 0, nodes: 0, blobs: 0, sweptBlobs: 0, findings: [] };
}

/** Returns the state of a finding: it is rebuilt, only shown to the user, or missing because nothing else has it. */
export function stateOf(finding: Finding): StoreProblem['state'] {
  switch (finding.type) {
    case 'store':
      return finding.problem.state;
    case 'set-aside':
    case 'wrong-snapshot':
    case 'wrong-head':
      return 'mended';
    case 'missing-log':
    case 'unreadable-log':
    case 'unlisted-log':
    case 'blob':
      return 'broken';
    case 'file': {
      const { type } = finding.report;
      return type === 'unknown' || type === 'newer' || type === 'failed' ? 'shown' : 'mended';
    }
    case 'older-data':
    case 'quarantined':
      return 'shown';
  }
}

/** Returns the log that a finding reports as broken, if any. */
export function brokenLogOf(finding: Finding): string | undefined {
  switch (finding.type) {
    case 'missing-log':
    case 'unreadable-log':
      return finding.root;
    case 'store': {
      const { what, where, state } = finding.problem;
      return what === 'log' && state === 'broken' ? where : undefined;
    }
    default:
      return undefined;
  }
}

/** Records news from opening and reading the folder as findings. Returns true if it is one, or was found before. */
export function takeNews(
  { findings }: Examination,
  news: FolderNews,
  maintenance: StoreMaintenance | undefined,
): boolean {
  switch (news.type) {
    case 'files':
      if (news.report.type === 'writing') return false;
      findings.push({ type: 'file', report: news.report });
      return true;
    case 'lost-log': {
      const { log: where } = news.lost;
      if (findings.some((finding) => lostLogOf(finding) === where)) return true;
      const message = maintenance?.describeLoss(news.lost) ?? '';
      findings.push({ type: 'store', problem: { what: 'lost-log', where, message, state: 'broken' } });
      return true;
    }
    case 'damaged-list':
      return true;
    default:
      return false;
  }
}

/** Returns the log that a finding reports as lost, if any. */
export function lostLogOf(finding: Finding): string | undefined {
  return finding.type === 'store' && finding.problem.what === 'lost-log' ? finding.problem.where : undefined;
}

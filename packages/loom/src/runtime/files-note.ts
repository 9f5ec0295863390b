import type { FilesReport } from '@loom/stores/node-files';

/** What happened to a node file, as a line for people. */
export function describeFilesReport(report: FilesReport): string {
  switch (report.type) {
    case 'merged':
      return `${report.file} was edited: the edit is now change ${report.seq} of ${report.root}, and loom undo takes it back.\n`;
    case 'quarantined': {
      const { file, reason, kept } = report.quarantined;
      return `${file} could not be taken (${reason}). It is kept as ${kept}, and was written anew from the log.\n`;
    }
    case 'restored':
      return `${report.file} was missing and is written again.\n`;
    case 'unknown':
      return `${report.file} belongs to no message of ${report.root}; it is left alone.\n`;
    case 'failed':
      return `The files of ${report.root ?? 'the data folder'} could not be written or read (${messageOf(report.error)}). Nothing is lost: the log has everything, and it is tried again.\n`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { EditsNotTaken, FolderNews, TellFolderNews } from '@loom/data-folder';
import { forestLogName } from '@loom/kernel/logs';
import type { StoreError } from '@loom/kernel/store';
import { isDiskFull } from '@loom/stores/disk';
import type { LostLog, TornWrite } from '@loom/stores/files';
import type { AdoptedRoot, FilesReport, NodeFileProblem } from '@loom/node-files';
import { count, Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** Returns the channel for notes about node files: none beside JSON, whose readers expect nothing else. */
export function noteOf(terminal: Terminal, isJson: boolean): (text: string) => void {
  return isJson ? () => {} : terminal.note;
}

/** Words the fate of a node file, as a line for people. */
export function describeFilesReport(report: FilesReport): string {
  switch (report.type) {
    case 'merged':
      return `${report.file} was edited: the edit is now change ${report.seq} of ${report.root}, and ${suggest('undo')} takes it back.\n`;
    case 'quarantined': {
      const { file, reason, kept } = report.quarantined;
      const what = reason === 'damaged' ? 'is damaged, and was not edited' : `could not be taken in (${reason})`;
      return `${file} ${what}. It is kept as ${kept}, and was written anew from the log.\n`;
    }
    case 'restored':
      return `${report.file} was missing and is written again.\n`;
    case 'unknown':
      if (report.denied !== undefined) {
        return `${report.file} may not be read (${report.denied}), and ${report.root} has no message of that name. Check its permissions: it is taken in once it can be read.\n`;
      }
      return `${report.file} belongs to no message of ${report.root}; it is left alone.\n`;
    case 'newer':
      return `${report.file} was written by a newer Loom (format ${report.format}) and is left as it is; the log has what this Loom knows. Update Loom, or move the file away to have it written again.\n`;
    case 'writing':
      return `Writing the files of ${report.root}: ${report.left.toLocaleString('en')} to go. Nothing is lost if you do not wait.\n`;
    case 'failed':
      if (isDiskFull(report.error)) return fullDisk;
      return `The files of ${report.root ?? 'the data folder'} could not be written or read (${messageOf(report.error)}). Nothing is lost: the log has everything, and it is tried again.\n`;
  }
}

/** Words the news of a data folder for people: of many of one kind the first few. */
export function tellNews(note: (text: string) => void): TellFolderNews {
  const progress = new Progress(process.stderr.isTTY ? note : () => {});
  const failures = new Set<string>();
  let lost = 0;
  return (news) => {
    if (news.type === 'files' && news.report.type === 'writing') {
      const { report } = news;
      return progress.tick(() => describeFilesReport(report).trimEnd());
    }
    if (news.type === 'files' && news.report.type === 'failed') {
      // It is tried again and again, for one conversation after the other.
      const { root = '', error } = news.report;
      const what = isDiskFull(error) ? fullDisk : `${root} ${messageOf(error)}`;
      if (failures.has(what)) return;
      failures.add(what);
    }
    if (news.type === 'lost-log') lost += 1;
    const text = news.type === 'lost-log' && lost > mostLines ? moreLost(lost) : describeNews(news);
    if (text !== '') note(text);
  };
}

/** Prints the news of a data folder on the standard error output. */
export function printFolderNews(news: FolderNews): void {
  process.stderr.write(describeNews(news));
}

function moreLost(count: number): string {
  return count === mostLines + 1 ? `The same is true of more logs: ${suggest('doctor')} lists them all.\n` : '';
}

function describeNews(news: FolderNews): string {
  switch (news.type) {
    case 'restoration-completed': {
      const before = news.aside === undefined ? '' : ` What was there before is in ${news.aside}.`;
      return `A restoration of ${news.folder} was cut short, and has been completed.${before}\n`;
    }
    case 'torn-write':
      return describeTorn(news.torn);
    case 'lost-log':
      return describeLost(news.lost);
    case 'damaged-list':
      return describeDamagedList(news.kept);
    case 'files':
      return describeFilesReport(news.report);
    case 'adopted':
      return describeAdopted(news.roots);
    case 'unreadable-files':
      return describeProblems(news.problems);
    case 'files-not-examined':
      return `The files of ${news.root} could not be looked at: ${news.why}. This is what the log says.\n`;
    case 'edits-not-taken':
      return describeEdits(news.root, news.files, news.why);
  }
}

/** Edits that are not taken in, as a line for people. */
function describeEdits(root: string, [first = '', ...others]: readonly string[], why: EditsNotTaken): string {
  const files = others.length === 0 ? `${first} was` : `${first} and ${count(others.length, 'more file')} were`;
  switch (why.reason) {
    case 'denied':
      return `A file of ${root} was changed and may not be read: ${why.message}. Check its permissions; this is what the log says.\n`;
    case 'unreadable':
      return `${files} written, but not as valid JSON: this is what the log says.\n`;
    case 'older':
      return `${files} changed and not taken in yet: the next command that writes to ${root} does.\n`;
    case 'not-writable':
      return `${files} changed and not taken in: ${why.folder} cannot be written to. This is what the log says.\n`;
    case 'failed':
      return `${files} changed and could not be taken in: ${why.message}\n`;
  }
}

/** A write that was cut short and has been put aside, as a line for people. */
function describeTorn({ log, kept, bytes }: TornWrite): string {
  return `The last write to ${log} was cut short before it was acknowledged. ${bytes === 1 ? 'Its byte is' : `Its ${bytes} bytes are`} kept as ${kept}; everything before it is there.\n`;
}

/** A list of conversations that is damaged, as a line for people. */
function describeDamagedList(kept: string | undefined): string {
  const what = 'The list of conversations (forest/log.jsonl) is damaged';
  if (kept === undefined)
    return `${what}: these are the conversations whose files are there. The next command that writes rebuilds it.\n`;
  return `${what}. It is kept as ${kept}, and was rebuilt from the conversations; none is missing.\n`;
}

/** A log of which something is lost, as a line for people. */
function describeLost({ log, seq, end, isKept = false }: LostLog): string {
  const what = log === forestLogName ? 'the list of conversations' : log;
  if (isKept)
    return `A part of the log of ${what} was lost: change ${seq} of it had been acknowledged. What only the log had (earlier versions, what could be undone, and what no file had) is lost unless a backup has it. ${suggest('doctor')} says more; ${suggest('doctor --acknowledge')} ends this reminder.\n`;
  const [state, remedy] =
    end === undefined
      ? ['is gone', 'its log.jsonl']
      : [end === 0 ? 'is gone' : `ends at change ${end}`, 'an undamaged loom.db, with its loom.db-wal,'];
  return `The log of ${what} ${state}, and change ${seq} of it had been acknowledged. What you see comes from its files; what only the log had (earlier versions, what could be undone) is lost unless you put ${remedy} back. ${suggest('doctor')} says more.\n`;
}

/** The same for several: a few of them, if there are many. */
export function describeLosses(lost: readonly LostLog[]): string {
  const left = lost.length - mostLines;
  const more = left > 0 ? `The same is true of ${count(left, 'more log')}: ${suggest('doctor')} lists them.\n` : '';
  return `${lost.slice(0, mostLines).map(describeLost).join('')}${more}`;
}

/** Words the arrival of files in conversations that had a log already, as lines for people. */
function describeAdopted(roots: readonly AdoptedRoot[]): string {
  const lines = roots
    .filter(({ wasKnown, nodes }) => wasKnown && nodes > 0)
    .map(({ root, nodes }) => {
      const what =
        nodes === 1 ? 'a file that was new is now a message' : `${nodes} files that were new are now messages`;
      return `In ${root} ${what}: ${suggest(`tree ${root}`)} shows them, ${suggest('rm')} takes one away.\n`;
    });
  return lines.join('');
}

/** Conversations that had to be left out, as lines for people. */
export function describeDamaged(damaged: ReadonlyMap<string, StoreError>): string {
  const lines = [...damaged].map(
    ([root, { message, advice }]) => `${root} cannot be read and was left out: ${message}. ${advice}\n`,
  );
  return lines.length === 0 ? '' : `${lines.join('')}${suggest('doctor')} says more.\n`;
}

/** Files that could not be read, as lines for people: a few of them, if there are many. */
function describeProblems(problems: readonly NodeFileProblem[]): string {
  const unreadable = problems.filter(({ effect }) => effect === 'unreadable');
  const lines = unreadable.slice(0, mostLines).map(({ file, message }) => `${file} ${message}.\n`);
  const left = unreadable.length - lines.length;
  if (left > 0) lines.push(`${count(left, 'more file')} cannot be read: ${suggest('doctor')} lists them.\n`);
  return lines.join('');
}

const fullDisk =
  'The disk is full: files of conversations cannot be written. Free some space. Nothing is lost: the log has everything that was acknowledged, and they are written once there is room.\n';

/** The number of lines of one kind shown at once. */
const mostLines = 5;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

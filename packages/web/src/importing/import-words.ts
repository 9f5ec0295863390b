import { count, grouped } from '../words/amounts.ts';
import { dayName, wholeSeconds } from '../words/times.ts';
import type { ImportReport } from './import-report.ts';

/** Words the result of an import, in a sentence or two. */
export function reportWords(report: ImportReport): string {
  const { roots_added: added, nodes_added: messages, files_unknown: unknown, files, files_unchanged: old } = report;
  const paused = report.cancelled ? 'Paused. ' : '';
  const cut = cutFiles(report).length;
  if (added > 0)
    return `${paused}${count(added, 'conversation')} imported${cutWords(cut, added)}${unknownWords(unknown)}`;
  if (messages > 0)
    return `${paused}${count(messages, 'new message')} in conversations that were here already.${unknownWords(unknown)}`;
  if (report.cancelled) return 'Paused. Nothing was imported yet.';
  if (files + old === 0 && unknown > 0) {
    return unknown === 1
      ? 'This is no history that Loom can read. Nothing was imported.'
      : `None of the ${unknown} files is a history that Loom can read. Nothing was imported.`;
  }
  if (files + old === 0) return 'There was nothing to import.';
  return `Nothing is new: everything was here already.${unknownWords(unknown)}`;
}

/** The same beside one of several programs whose histories were imported at once: each has its own count. */
export function endedWords(source: string, sources: readonly string[], report: ImportReport): string {
  if (sources.length < 2) return reportWords(report);
  const paused = report.cancelled ? 'Paused. ' : '';
  const { roots_added: added = 0, nodes_added: messages = 0 } = report.sources[source] ?? {};
  if (added > 0) return `${paused}${count(added, 'conversation')} imported.`;
  if (messages > 0) return `${paused}${count(messages, 'new message')} in conversations that were here already.`;
  return report.cancelled ? 'Paused. Nothing was imported yet.' : 'Nothing new.';
}

/** Finds files whose last line is not complete: the lines before it are here. */
function cutFiles({ warnings }: Pick<ImportReport, 'warnings'>): string[] {
  return warnings.filter((warning) => /\b(?:is|was) cut off\b/u.test(warning));
}

function cutWords(cut: number, added: number): string {
  if (cut === 0) return '.';
  if (added === 1) return ', and it is not complete: its file ends in the middle of a line.';
  return cut === 1
    ? ', 1 of them not complete: its file ends in the middle of a line.'
    : `, ${cut} of them not complete: their files end in the middle of a line.`;
}

function unknownWords(unknown: number): string {
  return unknown === 0
    ? ''
    : ` ${count(unknown, 'file')} could not be read and ${unknown === 1 ? 'was' : 'were'} left alone.`;
}

/** Returns the exact counts of a report. Leaves out zeros, but for the first two rows. */
export function reportRows(report: ImportReport): { name: string; value: string; isBad?: true }[] {
  const rows: { name: string; value: number; isBad?: true }[] = [
    { name: 'Files without anything new', value: report.files_unchanged },
    { name: 'Lines that are kept as they came', value: report.lines_raw },
    { name: 'Files left alone: not a history that Loom knows', value: report.files_unknown },
    { name: 'Lines that cannot be read', value: report.lines_reported, isBad: true },
    { name: 'Keys, tokens and passwords', value: report.secrets ?? 0, isBad: true },
  ];
  return [
    { name: 'Conversations', value: grouped(report.roots_added) },
    { name: 'Messages', value: grouped(report.nodes_added) },
    ...rows.filter(({ value }) => value > 0).map((row) => ({ ...row, value: grouped(row.value) })),
  ];
}

/** Shortens the path of a program's sessions: the home folder becomes `~`. */
function shortFolder(path: string): string {
  return path.replace(/^.*?(?=\/\.[^/])/u, '~');
}

interface Found {
  readonly sessions: number;
  readonly imported: number;
  readonly folders: readonly string[];
  readonly newest?: string;
}

/** Words the amount of a program's history, and its folders. */
export function foundWords({ sessions, imported, folders, newest }: Found, now: number): string {
  const parts = [`${count(sessions, 'session')} in ${folders.map(shortFolder).join(' and ')}`];
  if (newest !== undefined) parts.push(`last used ${lowered(dayName(Date.parse(newest), now))}`);
  if (imported > 0 && imported < sessions) parts.push(`${grouped(imported)} imported`);
  return parts.join(' · ');
}

function lowered(day: string): string {
  return day === 'Today' || day === 'Yesterday' ? day.toLowerCase() : day;
}

/** `59%`: never all of it before it is. */
export function percentDone(progress: number): string {
  return `${Math.floor(progress * 100)}%`;
}

/** Words the progress of an import, and the estimated time left: `59%, about 20s left`. */
export function progressWords(
  { progress = 0, started_at: started }: { progress?: number; started_at: string },
  now: number,
): string {
  const done = percentDone(progress);
  const elapsed = now - Date.parse(started);
  if (progress < 0.05 || elapsed < 2000) return done;
  return `${done}, about ${wholeSeconds((elapsed * (1 - progress)) / progress)} left`;
}

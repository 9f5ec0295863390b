import { resolve } from 'node:path';
import { archiveReport } from '@loom/kernel';
import type { ArchiveReport, ExportFormat, FileFormat } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { followJob } from '../followed-job.ts';
import type { Loom } from '../../runtime/loom.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { projectNamed } from '../../runtime/named-project.ts';
import { count, describeBytes } from '../../terminal/progress.ts';
import { textOption } from '../../texts/number-option.ts';
import { orFail } from '../../words/refusal-error.ts';
import { friendlyPath } from '../config/config-view.ts';
import { describeSecrets, writeNew } from './export-file.ts';

/** Returns true if a command line asks for several conversations at once. */
export function isForMany({ words, options }: Call): boolean {
  return words.length > 1 || options.has('all') || options.has('project');
}

/** Writes several conversations into one zip archive. */
export async function exportMany(loom: Loom, format: ExportFormat, call: Call): Promise<ExitCode> {
  const { options, isJson, terminal } = call;
  const out = readOut(textOption(options, 'out'));
  const isReplaced = options.has('replace-secrets');
  const roots = await rootsOf(loom, call);
  const order = { roots, format: readFileFormat(format), replace_secrets: isReplaced };
  const { job } = orFail(await loom.call('export.archive', order));
  const { result, words } = await followJob(loom, job, call);
  const read = archiveReport().safeParse(result);
  if (!read.success) throw new LoomError('export-failed', `the export ended: ${words}`, { advice: 'Start it again.' });
  const report = read.data;
  const bytes = report.archive === undefined ? undefined : await loom.getBlob(report.archive.blob);
  if (bytes === undefined) throw nothingWritten(report);
  const file = resolve(out);
  await writeNew(file, bytes, false);
  const code = report.unread.length > 0 ? EXIT.failed : EXIT.ok;
  if (isJson) {
    terminal.out(`${JSON.stringify({ ok: true, ...report, file })}\n`);
    return code;
  }
  const written = `${count(report.files, 'conversation')}, ${describeBytes(bytes.length)}`;
  terminal.note(`Wrote ${written}, to ${friendlyPath(file, terminal)}.\n`);
  for (const { root, why } of report.unread.slice(0, mostNamed)) terminal.note(`${root} was left out: ${why}\n`);
  terminal.note(describeSecrets(report, isReplaced));
  return code;
}

const mostNamed = 10;

function nothingWritten({ cancelled }: ArchiveReport): LoomError {
  return new LoomError('nothing-exported', cancelled ? 'the export was cancelled' : 'none of them can be read', {
    advice: cancelled ? 'Start it again.' : 'Deleted conversations have to be restored first.',
  });
}

async function rootsOf(loom: Loom, { words, options }: Call): Promise<string[]> {
  const project = textOption(options, 'project');
  if (project === undefined && !options.has('all')) {
    const roots: string[] = [];
    for (const word of words) roots.push((await findPlace(loom, word)).root);
    return roots;
  }
  if (words.length > 0)
    throw new UsageError('bad-option', '--all and --project take no conversations beside them', {
      advice: 'Name conversations, or choose them by --all or --project.',
    });
  const filter = project === undefined ? {} : { project: await projectNamed(loom, project) };
  const { ids = [] } = orFail(await loom.call('root.list', { ...filter, archived: 'with', ids: true }));
  if (ids.length > 0) return ids;
  throw new LoomError('nothing-exported', 'there is no conversation to export', {
    advice: `To see which there are: ${suggest('ls')}`,
  });
}

function readOut(out: string | undefined): string {
  if (out?.endsWith('.zip') === true) return out;
  throw new UsageError('bad-option', 'several conversations are written into one zip archive', {
    advice: 'Name it: --out conversations.zip',
  });
}

function readFileFormat(format: ExportFormat): FileFormat {
  if (format !== 'claude-code' && format !== 'codex') return format;
  throw new UsageError('bad-option', `a session of ${format} holds one branch`, {
    advice: 'Export one conversation, or choose another --format.',
  });
}

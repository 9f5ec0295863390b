import { resolve } from 'node:path';
import type { ImportReport, Refusal } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { count } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail, refusalError } from '../../words/refusal-error.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { importUntilDone, type ImportOrder } from './import-job.ts';

/** `loom import [path…]` */
export function importHistories(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  refuseWords(call);
  const source = options.get('source');
  const order: ImportOrder = {
    paths: words.map((path) => resolve(path)),
    ...(typeof source === 'string' ? { sources: [source] } : {}),
    again: options.has('again'),
  };
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const report = await importUntilDone(loom, order, {
      ...call,
      fail: (refusal) => byName(refusal, call) ?? refusalError(refusal),
    });
    if (isJson) terminal.out(`${JSON.stringify(report)}\n`);
    else tell(report, call);
    if (report.cancelled || (order.paths.length > 0 && hasFailed(report))) return EXIT.failed;
    if (options.has('follow')) await follow(loom, call, order.sources);
    return EXIT.ok;
  });
}

/** Refuses words that can never be meant: an empty path would be the present folder, and folders that are named are not followed. */
function refuseWords({ words, options }: Call): void {
  const advice = `Name a file or a folder: ${suggest('import ~/Downloads/export.zip')}`;
  if (words.includes('')) throw new UsageError('bad-argument', 'a path is empty', { advice });
  if (words.length === 0 || !options.has('follow')) return;
  throw new UsageError('bad-argument', '--follow is for what agents keep on this machine, and takes no path', {
    advice: `Import it alone, then follow: ${suggest('import --follow')}`,
  });
}

/** Words the problem with a path or a program, under the name it was given here. */
function byName(refusal: Refusal, { words, options }: Call): LoomError | undefined {
  const [first] = refusal.reason === 'invalid-params' ? refusal.problems : [];
  if (first === undefined) return undefined;
  const { path, problem } = first;
  const [field, index] = path;
  const details = { problems: [first] };
  if (field === 'sources')
    return new LoomError(refusal.reason, `--source ${options.get('source')} ${problem}`, { details });
  const name = field === 'paths' && typeof index === 'number' ? words[index] : undefined;
  return name === undefined ? undefined : new LoomError(refusal.reason, `${name}: ${problem}`, { details });
}

/** The interval between checks that the folders are still followed, in milliseconds. */
const oneLook = 2000;

/** Imports the sessions that agents write until Ctrl-C. A server goes on with the folders it followed before. */
async function follow(loom: Loom, { terminal }: Call, sources: readonly string[] | undefined): Promise<void> {
  const { following: before } = orFail(await loom.call('source.list', {}));
  const on = { on: true, ...(sources === undefined ? {} : { sources: [...sources] }) };
  let told = 0;
  const tell = (remarks: readonly { number: number; text: string }[]): void => {
    const last = remarks.at(-1)?.number ?? 0;
    // The process that has the folder may be another one, and end: then it is followed where the folder is now, and numbers begin anew.
    if (last < told) told = 0;
    for (const { number, text } of remarks) if (number > told) terminal.note(`${showControls(text)}\n`);
    told = last;
  };
  const { remarks } = orFail(await loom.call('import.follow', on));
  if (before) told = remarks.at(-1)?.number ?? 0;
  else tell(remarks);
  terminal.note('Following what agents write on this machine. Ctrl-C ends it.\n');
  const look = async (): Promise<void> => tell(orFail(await loom.call('import.follow', on)).remarks);
  const looks = setInterval(() => void look().catch(() => {}), oneLook);
  await new Promise<void>((done) => {
    const stop = terminal.onInterrupt(() => {
      stop();
      done();
    });
  });
  clearInterval(looks);
  if (!before) tell(orFail(await loom.call('import.follow', { on: false })).remarks);
}

function tell(report: ImportReport, call: Call): void {
  const { terminal } = call;
  const style = styleFor(terminal, 'out');
  const { files, files_unchanged: unchanged, files_unknown: unknown, lines_raw: raw } = report;
  if (files + unchanged + unknown === 0) {
    if (report.warnings.length > 0) terminal.out('Nothing was taken in.\n');
    else if (call.words.length > 0) terminal.out('There is no history that Loom can read.\n');
    else {
      terminal.out('No sessions of agents were found on this machine.\n');
      terminal.note(`Name a file or a folder: ${suggest('import ~/Downloads/export.zip')}\n`);
    }
    tellWarnings(report, call);
    return;
  }
  const added = [
    count(report.roots_added, 'conversation'),
    count(report.nodes_added, 'message'),
    count(report.blocks_added, 'block'),
  ];
  terminal.out(`${style.strong(`Added ${added[0]}`)}, ${added[1]}, ${added[2]}.\n`);
  terminal.out(`${count(files, 'file')} read, ${unchanged} unchanged, ${unknown} left alone as unknown.\n`);
  const kinds = Object.entries(report.unknown_kinds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5);
  if (raw > 0) {
    const named = kinds.map(([kind, times]) => `${showControls(kind)} ${times}`).join(', ');
    terminal.out(`${count(raw, 'line')} kept as ${raw === 1 ? 'it' : 'they'} came: ${named}.\n`);
  }
  tellWarnings(report, call);
  if (report.secrets !== undefined) {
    const found = `${count(report.secrets, 'secret')} found in what was added, such as keys and passwords`;
    terminal.note(`${found}. List with ${suggest('secrets')}\n`);
  }
  if (report.cancelled) terminal.note('Cancelled. What was taken in is kept; the same command goes on from there.\n');
}

/** Returns true if nothing named could be read, for reasons in the warnings. */
function hasFailed({ files, files_unchanged: unchanged, files_unknown: unknown, warnings }: ImportReport): boolean {
  return files + unchanged + unknown === 0 && warnings.length > 0;
}

function tellWarnings(report: ImportReport, { terminal }: Call): void {
  const shown = report.warnings.slice(0, mostWarnings);
  for (const warning of shown) terminal.note(`${showControls(warning)}\n`);
  const more = report.warnings.length - shown.length;
  if (more > 0) terminal.note(`${count(more, 'more warning')}: --json shows them all.\n`);
}

const mostWarnings = 20;

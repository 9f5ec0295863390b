import { resolve } from 'node:path';
import { importReport } from '@loom/kernel';
import type { ImportReport } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { count } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom import [path…]` */
export function importHistories(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const source = options.get('source');
  const order = {
    paths: words.map((path) => resolve(path)),
    ...(typeof source === 'string' ? { sources: [source] } : {}),
    again: options.has('again'),
  };
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const { job } = orFail(await loom.call('import.start', order));
    const report = await untilDone(loom, job, call);
    if (isJson) terminal.out(`${JSON.stringify(report)}\n`);
    else tell(report, call);
    if (report.cancelled || (order.paths.length > 0 && hasFailed(report))) return EXIT.failed;
    if (options.has('follow')) await follow(loom, call);
    return EXIT.ok;
  });
}

/** How often it is asked how far an import is, in milliseconds. */
const pace = 100;

/** Shows how far the import is. Ctrl-C cancels it; what was taken in until then stays. */
async function untilDone(loom: Loom, job: string, { terminal, isJson }: Call): Promise<ImportReport> {
  const bar = new ProgressBar(terminal, isJson);
  const stop = terminal.onInterrupt(() => void loom.call('job.cancel', { job }));
  try {
    for (;;) {
      const { state, words, progress, result } = orFail(await loom.call('job.get', { job }));
      if (state === 'running') {
        bar.show(progress ?? 0, words);
        await new Promise((wake) => setTimeout(wake, pace));
        continue;
      }
      const report = importReport.safeParse(result);
      if (report.success) return report.data;
      throw new LoomError('import-failed', `the import ended: ${words}`, {
        advice: 'What was taken in until then is kept. Try again: it goes on from there.',
      });
    }
  } finally {
    bar.clear();
    stop();
  }
}

/** What agents write is taken in until Ctrl-C. */
async function follow(loom: Loom, call: Call): Promise<void> {
  const { terminal } = call;
  orFail(await loom.call('import.follow', { on: true }));
  terminal.note('Following what agents write on this machine. Ctrl-C ends it.\n');
  await new Promise<void>((done) => {
    const stop = terminal.onInterrupt(() => {
      stop();
      done();
    });
  });
  orFail(await loom.call('import.follow', { on: false }));
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
    terminal.out(`${count(raw, 'line')} of unknown kinds kept as they came: ${named}.\n`);
  }
  tellWarnings(report, call);
  if (report.cancelled) terminal.note('Cancelled. What was taken in is kept; the same command goes on from there.\n');
}

/** Whether nothing could be read of what was named, for reasons that the warnings say. */
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

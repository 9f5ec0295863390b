import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from '@loom/client';
import { importReport } from '@loom/kernel';
import type { ImportReport, Refusal } from '@loom/kernel';
import { LoomError } from '../../command-line/failure.ts';
import type { Call } from '../../command-line/command.ts';
import type { Loom } from '../../runtime/loom.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';

export interface ImportOrder {
  paths: string[];
  sources?: string[];
  again: boolean;
}

interface Surroundings extends Pick<Call, 'terminal' | 'isJson'> {
  /** Makes the error to throw when the job is refused. */
  fail: (refusal: Refusal) => Error;
}

/** The interval between questions about the progress of an import, in milliseconds. */
const pace = 100;

/** The number of times that the importing process may end before it is done. */
const mostLosses = 10;

/**
 * Imports, and shows the progress. Ctrl-C cancels it; conversations imported until then stay. Another process may have the folder, and end
 * before this import does: then it goes on in the process that has the folder by then, with the rest.
 */
export async function importUntilDone(
  loom: Loom,
  order: ImportOrder,
  { terminal, isJson, fail }: Surroundings,
): Promise<ImportReport> {
  const bar = new ProgressBar(terminal, isJson);
  const running: { job?: string; isCancelled: boolean } = { isCancelled: false };
  const cancel = async (): Promise<void> => {
    if (running.job !== undefined) await loom.call('job.cancel', { job: running.job }).catch(() => {});
  };
  const stop = terminal.onInterrupt(() => {
    running.isCancelled = true;
    void cancel();
  });
  try {
    for (let losses = 0; ; losses += 1) {
      try {
        const started = await loom.call('import.start', order);
        if (!started.ok) throw fail(started.refusal);
        running.job = started.value.job;
        if (running.isCancelled) await cancel();
        const report = await reportOf(loom, running.job, bar);
        if (report !== undefined) return report;
      } catch (error) {
        if (losses === mostLosses || !(error instanceof ClientError && error.isPassing)) throw error;
      }
      await delay(pace);
    }
  } finally {
    bar.clear();
    stop();
  }
}

/** Returns the report of an import; `undefined` if the process that ran it is gone. */
async function reportOf(loom: Loom, job: string, bar: ProgressBar): Promise<ImportReport | undefined> {
  for (;;) {
    const asked = await loom.call('job.get', { job });
    if (!asked.ok) return undefined;
    const { state, words, code, advice, progress, result } = asked.value;
    if (state === 'running') {
      bar.show(progress ?? 0, words);
      await delay(pace);
      continue;
    }
    const report = importReport().safeParse(result);
    if (report.success) return report.data;
    throw new LoomError(code ?? 'import-failed', `the import ended: ${words}`, {
      advice: `${advice ?? 'Mend that.'} What was taken in until then is kept: import again, and it goes on from there.`,
    });
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { ResultOf } from '@loom/kernel';
import type { Call } from '../command-line/command.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import { orFail } from '../words/refusal-error.ts';
import type { Loom } from '../runtime/loom.ts';

/** The interval between questions about the progress, in milliseconds. */
const pace = 50;

/** Shows the progress of a job until it ends, and returns what became of it. Ctrl-C cancels it. */
export async function followJob(
  loom: Loom,
  job: string,
  { terminal, isJson }: Pick<Call, 'terminal' | 'isJson'>,
): Promise<ResultOf<'job.get'>> {
  const bar = new ProgressBar(terminal, isJson);
  const stop = terminal.onInterrupt(() => void loom.call('job.cancel', { job }).catch(() => {}));
  try {
    for (;;) {
      const facts = orFail(await loom.call('job.get', { job }));
      if (facts.state !== 'running') return facts;
      bar.show(facts.progress ?? 0, facts.words);
      await delay(pace);
    }
  } finally {
    bar.clear();
    stop();
  }
}

import { parseArgs } from 'node:util';
import { runConvergenceTrace } from './convergence-trace.ts';
import type { Corrupt } from './convergence-trace.ts';

/** The traces that failed, of so many from a seed on. */
export function runConvergence(
  { traces, seed }: { traces: number; seed: number },
  onTrace: (done: number, failure: string | undefined) => void = () => {},
  corrupt?: Corrupt,
): string[] {
  const failures: string[] = [];
  for (let done = 1; done <= traces; done += 1) {
    const wrong = runConvergenceTrace(seed + done - 1, corrupt);
    const failure = wrong === undefined ? undefined : `seed ${seed + done - 1}: ${wrong}`;
    if (failure !== undefined) failures.push(failure);
    onTrace(done, failure);
  }
  return failures;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { traces: { type: 'string', default: '100000' }, seed: { type: 'string', default: '0' } },
  });
  const traces = Number(values.traces);
  const started = performance.now();
  const failures = runConvergence({ traces, seed: Number(values.seed) }, (done, failure) => {
    if (failure !== undefined) console.log(failure);
    if (done % 1000 === 0) console.log(`${done} of ${traces}, ${Math.round((performance.now() - started) / 1000)} s`);
  });
  console.log(`${traces} traces, ${failures.length} diverged`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

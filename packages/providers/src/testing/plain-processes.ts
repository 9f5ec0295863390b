import { spawn } from 'node:child_process';
import type { ProcessEnd, ProcessOrder, ProcessOutput, ProcessPort, RunningProcess, SpawnOutcome } from '@loom/kernel';

/** Starts programs without a guard, for tests that end them. */
export function plainProcesses(): ProcessPort & { readonly orders: readonly ProcessOrder[] } {
  const running = new Set<RunningProcess>();
  const orders: ProcessOrder[] = [];
  return {
    orders,
    async spawn(order): Promise<SpawnOutcome> {
      orders.push(order);
      const outcome = await start(order);
      if (!outcome.ok) return outcome;
      running.add(outcome.process);
      void outcome.process.ended.then(() => running.delete(outcome.process));
      return outcome;
    },
    async close() {
      await Promise.all([...running].map((each) => each.stop()));
    },
  };
}

async function start({
  command: [program = '', ...words],
  directory,
  environment,
  takesInput,
}: ProcessOrder): Promise<SpawnOutcome> {
  const stdin = takesInput === true ? 'pipe' : 'ignore';
  const child = spawn(program, words, {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
  const { pid, stdout, stderr } = child;
  if (failure !== undefined || pid === undefined || stdout === null || stderr === null)
    return { ok: false, refusal: { reason: 'program-not-found', message: `There is no program ${program}.` } };
  child.stdin?.on('error', () => {});
  let isStopped = false;
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve({
        reason: isStopped ? 'stopped' : 'exited',
        ...(code === null ? {} : { code }),
        ...(signal === null ? {} : { signal }),
      }),
    );
  });
  return {
    ok: true,
    process: {
      pid,
      ended,
      printed: 0,
      dropped: 0,
      output: merge(stdout, stderr),
      write: (bytes) => new Promise((resolve) => void (child.stdin?.write(bytes, () => resolve()) ?? resolve())),
      endInput: () => void child.stdin?.end(),
      stop() {
        isStopped = true;
        try {
          process.kill(-pid, 'SIGKILL');
        } catch {
          // It is gone.
        }
        return ended;
      },
    },
  };
}

async function* merge(
  stdout: AsyncIterable<Uint8Array>,
  stderr: AsyncIterable<Uint8Array>,
): AsyncGenerator<ProcessOutput> {
  const complaints: Uint8Array[] = [];
  const reading = (async () => {
    for await (const bytes of stderr) complaints.push(bytes);
  })();
  for await (const bytes of stdout) yield { stream: 'stdout', bytes };
  await reading;
  for (const bytes of complaints) yield { stream: 'stderr', bytes };
}

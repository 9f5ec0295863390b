import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Clock, ProcessOrder, ProcessPort, SpawnOutcome, SpawnRefusal } from '@loom/kernel';
import { startGuard } from './guard.ts';
import type { Guard } from './guard.ts';
import { GuardedProcess } from './guarded-process.ts';

export interface ProcessPortOptions {
  clock: Clock;
}

/** The variable by which processes are found that have left their group. */
const variable = 'LOOM_PROCESS';

/** The number of times within a minute that a lost guard is replaced; then the programs it guarded are stopped. */
const mostReplaced = 3;

/** Starts programs in separate groups, under a guard that ends them with this process. */
export function createProcessPort(options: ProcessPortOptions): ProcessPort {
  return new GuardedProcesses(options);
}

class GuardedProcesses implements ProcessPort {
  readonly #clock: Clock;
  /** The token known to this process and its guard alone. */
  readonly #token = randomBytes(16).toString('hex');
  readonly #running = new Set<GuardedProcess>();
  #guard: Promise<Guard | undefined> | undefined;
  #replaced = 0;
  #count = 0;
  #isClosed = false;

  constructor({ clock }: ProcessPortOptions) {
    this.#clock = clock;
  }

  async spawn(order: ProcessOrder): Promise<SpawnOutcome> {
    if (process.platform === 'win32') return refuse('unsupported', 'Programs cannot be run under Windows yet.');
    const guard = await this.#guarded();
    if (this.#isClosed) return refuse('closed', 'Loom is closing.');
    if (guard === undefined)
      return refuse('unguarded', 'The guard that would end the program with Loom cannot be run.');
    this.#count += 1;
    // Behind those of the Loom that this one may run in: both find the programs started here.
    const mark = `${this.#token}.${this.#count}.`;
    const marks = [process.env[variable], mark].filter((each) => each !== undefined).join(':');
    const started = await start(order, { ...order.environment, [variable]: marks });
    if ('refusal' in started) return started;
    const { child, pid } = started;
    guard.add(pid);
    const running = new GuardedProcess(child, pid, { clock: this.#clock, mark, outputLimit: order.limits?.output });
    this.#keep(running, order);
    return { ok: true, process: running };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const guard = await this.#guard;
    await Promise.all([...this.#running].map((running) => running.stop()));
    guard?.release();
  }

  #keep(running: GuardedProcess, { signal, limits }: ProcessOrder): void {
    this.#running.add(running);
    const stop = (): void => void running.stop();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true || this.#isClosed) stop();
    const cancel =
      limits?.time === undefined ? () => {} : this.#clock.after(limits.time, () => void running.stop('time-limit'));
    void this.#forget(running).finally(() => {
      cancel();
      signal?.removeEventListener('abort', stop);
    });
  }

  async #forget(running: GuardedProcess): Promise<void> {
    await running.ended;
    this.#running.delete(running);
    (await this.#guard)?.remove(running.pid);
  }

  #guarded(): Promise<Guard | undefined> {
    this.#guard ??= startGuard(this.#token, () => void this.#replaceGuard());
    return this.#guard;
  }

  /** Replaces a lost guard, or stops everything: nothing runs without one. */
  async #replaceGuard(): Promise<void> {
    this.#guard = undefined;
    if (this.#running.size === 0 || this.#isClosed) return;
    this.#replaced += 1;
    this.#clock.after(60_000, () => void (this.#replaced -= 1));
    const guard = this.#replaced > mostReplaced ? undefined : await this.#guarded();
    for (const running of this.#running) {
      if (guard === undefined) void running.stop();
      else guard.add(running.pid);
    }
  }
}

async function start(
  { command: [program = '', ...args], directory, takesInput }: ProcessOrder,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; pid: number } | { ok: false; refusal: SpawnRefusal }> {
  try {
    const stdio = [takesInput === true ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const;
    const child = spawn(program, args, { cwd: directory, env, detached: true, stdio: [...stdio] });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    if (child.pid === undefined) throw new Error(`${program} has no process id`);
    return { child, pid: child.pid };
  } catch (error) {
    return describeFailure(program, directory, error);
  }
}

function describeFailure(program: string, directory: string, error: unknown): { ok: false; refusal: SpawnRefusal } {
  if (!isDirectory(directory)) return refuse('directory-not-found', `There is no folder ${directory}.`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return refuse('program-not-found', `There is no program ${program}.`);
  if (code === 'EACCES') return refuse('program-not-permitted', `${program} may not be run.`);
  return refuse('failed', error instanceof Error ? error.message : String(error));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function refuse(reason: SpawnRefusal['reason'], message: string): { ok: false; refusal: SpawnRefusal } {
  return { ok: false, refusal: { reason, message } };
}

import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Clock, ProcessEnd, ProcessOutput, RunningProcess } from '@loom/kernel';
import { isGroupAlive, markedProcesses } from './found-processes.ts';
import { OutputQueue } from './output-queue.ts';

/** The time that a process has to end once it was asked to, in milliseconds: less than a turn waits for a tool to stop. */
const grace = 500;
/** The time between two looks at the remaining processes, in milliseconds. */
const look = 20;
/** The number of kills before a remaining process is given up: it hangs in the system, or restarts faster than it can be ended. */
const mostStrikes = 50;
/** A time in which no system starts so many processes that their ids wrap around, in milliseconds. */
const beforeIdsComeRound = 5_000;
/** The time without output after which streams are left that something unknown holds open after the end, in milliseconds. */
const quiet = 100;

export interface GuardedOptions {
  clock: Clock;
  /** The mark in the environment of the process and of its descendants. */
  mark: string;
  outputLimit?: number | undefined;
}

/** A process that leads a group, with everything that it has started. */
export class GuardedProcess implements RunningProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #options: GuardedOptions;
  readonly #queue: OutputQueue;
  readonly #started: number;
  #why: ProcessEnd['reason'] | undefined;
  #isGone = false;
  #clearing: Promise<void> | undefined;

  /** The child has been started as the leader of a group. */
  constructor(child: ChildProcess, pid: number, options: GuardedOptions) {
    this.pid = pid;
    this.#child = child;
    this.#options = options;
    this.#queue = new OutputQueue(options.outputLimit);
    this.#started = options.clock.now();
    if (child.stdout !== null) this.#queue.add('stdout', child.stdout);
    if (child.stderr !== null) this.#queue.add('stderr', child.stderr);
    // Input to a process that no longer reads is lost.
    child.stdin?.on('error', () => {});
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isGone = true;
        // The reason is that of the moment: a request to stop from now on is late.
        const end: ProcessEnd = { reason: (this.#why ??= 'exited') };
        if (code !== null) end.code = code;
        if (signal !== null) end.signal = signal;
        void this.#leave().finally(() => resolve(end));
      });
    });
  }

  get output(): AsyncIterable<ProcessOutput> {
    return this.#queue;
  }

  get printed(): number {
    return this.#queue.printed;
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  write(bytes: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (stdin === null || !stdin.writable || stdin.write(bytes)) return Promise.resolve();
    return untilDrained(stdin);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  stop(reason: 'stopped' | 'time-limit' = 'stopped'): Promise<ProcessEnd> {
    this.#why ??= reason;
    void this.#clear();
    return this.ended;
  }

  /** Sees to it that nothing is left of it. */
  async #leave(): Promise<void> {
    await this.#clear();
    this.#letGo();
  }

  /** Ends the process and everything that it has started; once. */
  #clear(): Promise<void> {
    this.#clearing ??= this.#endAll();
    return this.#clearing;
  }

  async #endAll(): Promise<void> {
    if (!this.#isLeft()) return;
    this.#strike('SIGTERM');
    for (let waited = 0; waited < grace && this.#isLeft(); waited += look) await this.#pause(look);
    for (let strikes = 0; strikes < mostStrikes && this.#isLeft(); strikes += 1) {
      this.#strike('SIGKILL');
      await this.#pause(look);
    }
  }

  #isLeft(): boolean {
    return !this.#isGone || isGroupAlive(this.pid) || this.#marked().length > 0;
  }

  /**
   * Finds the processes with the mark. Looking at few processes takes a tenth of the time of looking at all of them, which short commands
   * would notice.
   */
  #marked(): number[] {
    const { clock, mark } = this.#options;
    const age = clock.now() - this.#started;
    return markedProcesses(mark, age >= 0 && age < beforeIdsComeRound ? this.pid : undefined);
  }

  #strike(signal: 'SIGTERM' | 'SIGKILL'): void {
    for (const target of [-this.pid, ...this.#marked()]) {
      try {
        process.kill(target, signal);
      } catch {
        // It is gone.
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(milliseconds, resolve));
  }

  /** Leaves the streams once they have been quiet for a while: a process that was not found may hold them open forever. */
  #letGo(quietSince = this.printed, looks = 0): void {
    if (!this.#queue.isOpen) return;
    const isQuiet = this.#queue.isEmpty && this.printed === quietSince;
    if (isQuiet && looks > 1) this.#queue.cut();
    else this.#options.clock.after(quiet, () => this.#letGo(this.printed, isQuiet ? looks + 1 : 0));
  }
}

function untilDrained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off('drain', done);
      stdin.off('close', done);
      resolve();
    };
    stdin.on('drain', done);
    stdin.on('close', done);
  });
}

import { randomBytes } from 'node:crypto';
import type { Clock, ProcessEnd, RunningProcess, ToolContext } from '@loom/kernel';
import { pour } from './spawn-shell.ts';
import type { Spawned } from './spawn-shell.ts';

/** The characters of output that are kept of a command; of longer output the end. */
const mostKept = 4 * 1024 * 1024;
/** The characters that one look returns. */
const mostShown = 30_000;
/** The commands that run at once in one conversation. */
const mostRunning = 20;
/** The ended commands that are remembered. */
const mostEnded = 100;

/** A command in the background, as callers see it. */
export interface BackgroundFacts {
  readonly id: string;
  readonly root: string;
  /** The node of the call that started it. */
  readonly node: string;
  readonly command: string;
  readonly started_at: string;
  readonly pid: number;
  readonly state: 'running' | 'exited' | 'stopped';
  readonly exit_code?: number;
  /** The characters that it has printed so far. */
  readonly printed: number;
  readonly tail: string;
}

/** A part of what a command has printed. */
export interface BackgroundOutput {
  readonly text: string;
  /** The place to go on from. */
  readonly next: number;
  /** The characters before `text` that are no longer kept. */
  readonly lost: number;
  readonly state: BackgroundFacts['state'];
  readonly exit_code?: number;
}

interface Command {
  readonly id: string;
  readonly root: string;
  readonly node: string;
  readonly command: string;
  readonly startedAt: string;
  readonly process: RunningProcess;
  readonly controller: AbortController;
  text: string;
  printed: number;
  end: ProcessEnd | undefined;
}

/** A command that runs already. */
export interface AdoptedCommand {
  readonly process: RunningProcess;
  readonly controller: AbortController;
  readonly printed: string;
  readonly poured: Promise<void>;
}

export type Started = { ok: true; id: string } | { ok: false; message: string };

/** The commands that go on while their conversations do. They end with Loom. */
export class BackgroundCommands {
  readonly #clock: Clock;
  readonly #commands = new Map<string, Command>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async start(
    { root, node }: Pick<ToolContext, 'root' | 'node'>,
    spawn: (signal: AbortSignal) => Promise<Spawned>,
    command: string,
  ): Promise<Started> {
    const running = [...this.#commands.values()].filter((one) => one.root === root && one.end === undefined);
    if (running.length >= mostRunning) {
      return { ok: false, message: `${mostRunning} commands run in the background already. Stop one with shell_kill.` };
    }
    const controller = new AbortController();
    const spawned = await spawn(controller.signal);
    if (!spawned.ok) return spawned;
    const one = this.#add({ root, node }, command, spawned.process, controller);
    void this.#follow(
      one,
      pour(spawned.process, async (_stream, text) => keep(one, text)),
    );
    return { ok: true, id: one.id };
  }

  /**
   * Takes over a command that a turn has waited for until now. `printed` is the output so far, as far as it is kept; the rest is pushed
   * until `poured` resolves.
   */
  adopt(
    place: Pick<ToolContext, 'root' | 'node'>,
    command: string,
    { process, controller, printed, poured }: AdoptedCommand,
  ): { id: string; push: (text: string) => void } {
    const one = this.#add(place, command, process, controller);
    keep(one, printed);
    void this.#follow(one, poured);
    return { id: one.id, push: (text) => keep(one, text) };
  }

  #add(
    { root, node }: Pick<ToolContext, 'root' | 'node'>,
    command: string,
    process: RunningProcess,
    controller: AbortController,
  ): Command {
    const id = `shell-${randomBytes(3).toString('hex')}`;
    const startedAt = new Date(this.#clock.now()).toISOString();
    const one = { id, root, node, command, startedAt, process, controller, text: '', printed: 0, end: undefined };
    this.#commands.set(id, one);
    return one;
  }

  /** Returns the commands of some conversations; of all without. */
  list(isShown: (root: string) => boolean): BackgroundFacts[] {
    return [...this.#commands.values()].filter(({ root }) => isShown(root)).map(factsOf);
  }

  find(id: string): BackgroundFacts | undefined {
    const one = this.#commands.get(id);
    return one === undefined ? undefined : factsOf(one);
  }

  /** Returns what a command has printed behind a place. */
  output(id: string, after?: number): BackgroundOutput | undefined {
    const one = this.#commands.get(id);
    if (one === undefined) return undefined;
    const gone = one.printed - one.text.length;
    // A first look at long output shows its end.
    const from = after ?? Math.max(0, one.printed - mostShown);
    const start = Math.min(Math.max(from, gone), one.printed);
    const text = one.text.slice(start - gone, start - gone + mostShown);
    return { text, next: start + text.length, lost: Math.max(0, start - from), ...endOf(one) };
  }

  /** Stops a command and everything that it has started. */
  async stop(id: string): Promise<BackgroundFacts | undefined> {
    const one = this.#commands.get(id);
    if (one === undefined) return undefined;
    one.controller.abort();
    await one.process.ended;
    // The end is noted when the output has been read.
    one.end ??= { reason: 'stopped' };
    return factsOf(one);
  }

  async close(): Promise<void> {
    for (const { controller } of this.#commands.values()) controller.abort();
    await Promise.all([...this.#commands.values()].map(({ process }) => process.ended));
  }

  async #follow(one: Command, poured: Promise<void>): Promise<void> {
    await poured;
    one.end = await one.process.ended;
    const ended = [...this.#commands.values()].filter(({ end }) => end !== undefined);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - mostEnded))) this.#commands.delete(id);
  }
}

function keep(one: Command, text: string): void {
  one.printed += text.length;
  one.text = (one.text + text).slice(-mostKept);
}

function factsOf(one: Command): BackgroundFacts {
  const { id, root, node, command, startedAt: started_at, process, printed, text } = one;
  return { id, root, node, command, started_at, pid: process.pid, printed, tail: text.slice(-2_000), ...endOf(one) };
}

function endOf({ end }: Command): Pick<BackgroundFacts, 'state' | 'exit_code'> {
  if (end === undefined) return { state: 'running' };
  const state = end.reason === 'exited' ? 'exited' : 'stopped';
  return end.code === undefined ? { state } : { state, exit_code: end.code };
}

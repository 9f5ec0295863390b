import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { acknowledgement } from './acknowledgement.ts';
import type { Acknowledgement } from './acknowledgement.ts';
import { busyWriterProgram } from './busy-writer.ts';
import type { WriterManner } from './busy-writer.ts';

export interface WriterOptions {
  directory: string;
  store: StoreKind;
  manner: WriterManner;
  /** A command that runs it, such as a tracer. */
  under?: readonly string[];
}

/** A process that writes as fast as it can until it is killed, and its acknowledgements so far. */
export class WriterProcess {
  readonly heard: Acknowledgement[] = [];
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ready: Promise<void>;
  readonly #exited: Promise<unknown>;
  readonly #closed: Promise<unknown>;
  #complaint = '';
  #onHeard: () => void = () => {};

  constructor({ directory, store, manner, under = [] }: WriterOptions) {
    const [program, ...args] = [...under, process.execPath, busyWriterProgram, directory, store, manner];
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#complaint += text));
    this.#exited = once(this.#child, 'exit');
    const lines = createInterface({ input: this.#child.stdout });
    this.#closed = once(lines, 'close');
    this.#ready = new Promise((resolve) => {
      lines.on('line', (line) => {
        // The last one may have been cut off.
        const told = line.endsWith('}') ? acknowledgement.parse(JSON.parse(line)) : undefined;
        if (told === undefined) return;
        this.heard.push(told);
        if (told.type === 'ready') resolve();
        this.#onHeard();
      });
    });
  }

  /** Resolves so many milliseconds after it began to write, or when it has ended. */
  async writeFor(milliseconds: number): Promise<void> {
    await Promise.race([this.#ready, this.#exited]);
    await Promise.race([delay(milliseconds), this.#exited]);
  }

  /** Resolves when it has acknowledged enough, or has ended: its work counts, not its time, which on a busy machine says nothing. */
  async writeUntil(isEnough: (heard: readonly Acknowledgement[]) => boolean): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      this.#onHeard = () => {
        if (isEnough(this.heard)) resolve();
      };
      this.#onHeard();
    });
    await Promise.race([enough, this.#exited]);
  }

  /** Stops it until it is resumed. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Kills it with `kill -9`. Rejects if it was gone before. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await Promise.all([this.#exited, this.#closed]);
    if (this.#child.signalCode !== 'SIGKILL') throw new Error(`the writer ended by itself: ${this.#complaint}`);
  }
}

import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ProcessEnd, ProcessOutput, ProcessPort, RunningProcess } from '@loom/kernel';

/** An answer to a line of input: bytes to print, in pieces. After `ends` the program has ended. */
export interface Played {
  readonly pieces: Iterable<Uint8Array>;
  readonly ends?: boolean;
}

/** Answers one line of input; `undefined` prints nothing. */
export type Plays = (line: PlainObject) => Played | undefined;

/** A machine on which every program prints what was recorded. `begins` answers the words of a command line. */
export function playedPrograms(
  plays: () => Plays,
  begins: (words: readonly string[]) => Played | undefined = () => undefined,
): Pick<ProcessPort, 'spawn'> {
  return {
    async spawn({ command }) {
      return { ok: true, process: new PlayedProgram(plays(), begins(command.slice(1))) };
    },
  };
}

const openBrace = 0x7b;

class PlayedProgram implements RunningProcess {
  readonly pid = 1;
  readonly printed = 0;
  readonly dropped = 0;
  readonly #plays: Plays;
  readonly #finish = Promise.withResolvers<ProcessEnd>();
  readonly ended = this.#finish.promise;
  readonly #queue: Played[] = [];
  #wake: () => void = () => {};
  #isOver = false;

  constructor(plays: Plays, first: Played | undefined) {
    this.#plays = plays;
    if (first !== undefined) this.#queue.push(first);
  }

  get output(): AsyncIterable<ProcessOutput> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<ProcessOutput> {
    while (!this.#isOver) {
      const next = this.#queue.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      for (const bytes of next.pieces) {
        if (this.#isOver) return;
        yield { stream: 'stdout', bytes };
      }
      if (next.ends === true) this.#end({ reason: 'exited', code: 0 });
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    // A prompt alone is no line of JSON.
    const line: unknown = bytes[0] === openBrace ? JSON.parse(Buffer.from(bytes).toString()) : undefined;
    const played = isPlainObject(line) ? this.#plays(line) : undefined;
    if (played === undefined) return;
    this.#queue.push(played);
    this.#wake();
  }

  endInput(): void {}

  stop(): Promise<ProcessEnd> {
    this.#end({ reason: 'stopped' });
    return this.ended;
  }

  #end(end: ProcessEnd): void {
    this.#isOver = true;
    this.#wake();
    this.#finish.resolve(end);
  }
}

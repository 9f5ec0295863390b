import type { PlainObject } from '@loom/blocks';
import { LineSplitter } from '@loom/exchange/foreign';
import type { ProcessEnd, RunningProcess } from '@loom/kernel';

/** Listens to the lines of a program. */
export interface LineListener {
  line(text: string): void;
  /** Called once, after the last line. */
  ended(end: ProcessEnd): void;
}

/** Returns the facts of a program that ended in the middle of a turn, as the detail of its failure. */
export function endOf(agent: string, exit: number | string | undefined, complaints: string): PlainObject {
  return { agent, ended: true, ...(exit === undefined ? {} : { exit }), ...(complaints === '' ? {} : { complaints }) };
}

/** The most of a program's error output that is kept, in characters: its end says why it failed. */
const mostComplaints = 4_000;

/**
 * A running program that is talked to in lines of JSON. Lines end at line feeds alone, whatever else their texts hold; a program that prints
 * faster than its lines are taken waits.
 */
export class LineChannel {
  readonly #process: RunningProcess;
  readonly #encoder = new TextEncoder();
  #complaints = '';
  #isOver = false;
  #end: ProcessEnd | undefined;

  constructor(process: RunningProcess) {
    this.#process = process;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** True once the program has ended, or was told to. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The end of the program's error output. */
  get complaints(): string {
    return this.#complaints.trim();
  }

  /** The exit code of the program, or the signal that ended it; `undefined` while it runs, and if it was told to end. */
  get exit(): number | string | undefined {
    return this.#end?.reason === 'exited' ? (this.#end.code ?? this.#end.signal) : undefined;
  }

  /** Reads until the program ends. `room` resolves when more lines can be taken. */
  async listen(listener: LineListener, room: () => Promise<void> = async () => {}): Promise<void> {
    const errors = new TextDecoder();
    const splitter = new LineSplitter({
      line: (text) => listener.line(text),
      tooLong: (bytes) => listener.line(`A line of ${bytes} bytes was left out.`),
    });
    for await (const { stream, bytes } of this.#process.output) {
      if (stream === 'stderr') this.#complain(errors.decode(bytes, { stream: true }));
      else {
        splitter.push(bytes);
        await room();
      }
    }
    splitter.end();
    const end = await this.#process.ended;
    this.#isOver = true;
    this.#end = end;
    listener.ended(end);
  }

  /** Sends one line; it is lost if the program no longer reads. */
  send(message: PlainObject): void {
    if (!this.#isOver) void this.#process.write(this.#encoder.encode(`${JSON.stringify(message)}\n`));
  }

  /** Sends a text, and ends the input. */
  async sendAll(text: string): Promise<void> {
    await this.#process.write(this.#encoder.encode(text));
    this.#process.endInput();
  }

  /** Ends the program and everything that it has started. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#process.stop();
  }

  #complain(text: string): void {
    this.#complaints = (this.#complaints + text).slice(-mostComplaints);
  }
}

import { clearScreenDown, createInterface, cursorTo, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Talk } from './terminal.ts';

/** Reads lines from a stream: with editing and history where it is a keyboard, plainly where it is a pipe. */
export function openTalk(
  input: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY'>>,
  output: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>,
): Talk {
  const isKeyboard = input.isTTY === true && output.isTTY === true;
  const reader = createInterface({ input, output, terminal: isKeyboard, prompt: '' });
  const lines = queueLines(reader);
  if (!isKeyboard) {
    return {
      isKeyboard,
      next: lines.next,
      prompt: () => undefined,
      write: (text) => void output.write(text),
      close: () => reader.close(),
    };
  }
  const display = new SharedLine(reader, input, output);
  // In raw mode Ctrl-C is a key; the rest of the program knows it as a signal.
  reader.on('SIGINT', () => {
    if (reader.line === '') process.kill(process.pid, 'SIGINT');
    else reader.write(null, { ctrl: true, name: 'u' });
  });
  return {
    isKeyboard,
    next: lines.next,
    prompt: (text) => display.prompt(text),
    write: (text) => display.write(text),
    close: () => {
      display.close();
      reader.close();
    },
  };
}

/** Keeps lines until somebody asks for them. */
function queueLines(reader: Interface): { next: () => Promise<string | undefined> } {
  const kept: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  let isOver = false;
  reader.on('line', (line) => {
    const first = waiting.shift();
    if (first === undefined) kept.push(line);
    else first(line);
  });
  reader.on('close', () => {
    isOver = true;
    for (const resolve of waiting.splice(0)) resolve(undefined);
  });
  return {
    next: () =>
      kept.length > 0 || isOver
        ? Promise.resolve(kept.shift())
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}

/**
 * The last line of a screen, which belongs to the typing person or to the program, never to both: what is shown while
 * somebody types waits until the line is entered or emptied.
 */
class SharedLine {
  readonly #reader: Interface;
  readonly #input: NodeJS.ReadableStream;
  readonly #output: NodeJS.WritableStream;
  readonly #onKey = (): void => this.#beforeKey();
  #held = '';
  #isPrompting = false;
  #isAtStart = true;

  constructor(reader: Interface, input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.#reader = reader;
    this.#input = input;
    this.#output = output;
    // Before readline's own listener, which shows the key.
    input.prependListener('keypress', this.#onKey);
    reader.on('line', () => {
      this.#isPrompting = false;
      this.#isAtStart = true;
      reader.setPrompt('');
      this.#release();
    });
  }

  prompt(text: string): void {
    if (this.#held !== '') this.#showAbove();
    if (!this.#isAtStart) this.#show('\n');
    this.#isPrompting = true;
    this.#reader.setPrompt(text);
    // Keeps what is already typed.
    this.#reader.prompt(true);
  }

  write(text: string): void {
    if (this.#reader.line !== '') {
      this.#held += text;
      return;
    }
    if (!this.#isPrompting) return this.#show(text);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    this.#show(text.endsWith('\n') ? text : `${text}\n`);
    this.#reader.prompt(true);
  }

  close(): void {
    this.#input.removeListener('keypress', this.#onKey);
    if (this.#held !== '') this.#show(this.#held);
    else if (!this.#isAtStart || this.#isPrompting) this.#show('\n');
  }

  #beforeKey(): void {
    // Typing begins in the middle of an answer: on a line of its own.
    if (this.#reader.line === '' && !this.#isPrompting) {
      if (!this.#isAtStart) this.#show('\n');
      this.#reader.prompt();
    }
    setImmediate(() => {
      if (this.#reader.line === '') this.#release();
    });
  }

  /** A question must not be seen before what it is about: that is shown above the line that is being typed. */
  #showAbove(): void {
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    this.#show(this.#held);
    this.#held = '';
  }

  #release(): void {
    const text = this.#held;
    this.#held = '';
    if (text !== '') this.write(text);
  }

  #show(text: string): void {
    this.#output.write(text);
    if (text !== '') this.#isAtStart = text.endsWith('\n');
  }
}

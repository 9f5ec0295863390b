import { clearScreenDown, createInterface, cursorTo, type Interface } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { showControls } from '../chat/drawing/column.ts';
import { Keyboard, pasteMarking, type KeySource } from './keyboard.ts';
import type { Talk, TalkOptions } from './terminal.ts';
import { Utf8Decoder } from './utf8-text.ts';

/** Stands for a line break in a line that is being edited, which is one line to the terminal. */
const lineBreak = '␤';

/** Reads lines from a stream: with editing and history where it is a keyboard, plainly where it is a pipe. */
export function openTalk(
  input: KeySource,
  output: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>,
  { history, complete, isPlain = false }: TalkOptions & { isPlain?: boolean } = {},
): Talk {
  const lines = new LineQueue();
  const isKeyboard = input.isTTY === true && output.isTTY === true;
  if (!isKeyboard) {
    const stop = queuePipedLines(input, lines);
    return {
      isKeyboard,
      next: () => lines.next(),
      prompt: () => undefined,
      refill: () => false,
      withdraw: () => undefined,
      write: (text) => void output.write(text),
      close: () => {
        stop();
        lines.end();
      },
    };
  }
  const keyboard = new Keyboard(input, (text) => display.insert(asLine(text)));
  const reader = createInterface({
    input: keyboard,
    output,
    terminal: true,
    prompt: '',
    history: [...(history?.lines ?? [])],
    historySize: history?.size ?? 100,
    removeHistoryDuplicates: true,
    tabSize: 4,
    completer: (line: string): [string[], string] => {
      const { word, candidates } = complete?.(line) ?? { word: line, candidates: [] };
      return [candidates, word];
    },
  });
  const display = new SharedLine(reader, keyboard, output);
  reader.on('history', (entered: string[]) => {
    // What is answered to a question may be a secret, and makes no sense anywhere else.
    if (display.isAsking) entered.shift();
    else history?.keep(entered);
  });
  reader.on('line', (line) => lines.add(line.replaceAll(lineBreak, '\n')));
  reader.on('close', () => {
    display.endTyping();
    lines.end();
  });
  // Alt and Enter together: another line of the same message.
  const onKey = (_text: unknown, key: { name?: string; meta?: boolean } | undefined): void => {
    if (key?.meta === true && (key.name === 'return' || key.name === 'enter')) display.insert(lineBreak);
  };
  keyboard.on('keypress', onKey);
  // In raw mode Ctrl-C is a key; the rest of the program knows it as a signal.
  reader.on('SIGINT', () => {
    if (reader.line === '') process.kill(process.pid, 'SIGINT');
    else reader.write(null, { ctrl: true, name: 'u' });
  });
  if (!isPlain) output.write(pasteMarking.on);
  let isOpen = true;
  return {
    isKeyboard,
    next: () => lines.next(),
    prompt: (text, { isQuestion = false } = {}) => display.prompt(text, isQuestion),
    withdraw: () => display.withdraw(),
    refill: (text) => {
      if (reader.line !== '') return false;
      display.insert(asLine(text));
      return true;
    },
    write: (text) => display.write(text),
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      display.endTyping();
      if (!isPlain) output.write(pasteMarking.off);
      reader.close();
      keyboard.release();
    },
  };
}

/** A text as it is put into the line that is being edited. */
function asLine(text: string): string {
  return showControls(text.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '')).replaceAll('\n', lineBreak);
}

/** Keeps lines until they are asked for. */
class LineQueue {
  readonly #kept: string[] = [];
  readonly #waiting: PromiseWithResolvers<string | undefined>[] = [];
  #failure: { error: unknown } | undefined;
  #isOver = false;

  add(line: string): void {
    const first = this.#waiting.shift();
    if (first === undefined) this.#kept.push(line);
    else first.resolve(line);
  }

  end(): void {
    this.#isOver = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined);
  }

  /** What was added before can still be had; then comes the failure. */
  fail(error: unknown): void {
    this.#failure = { error };
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  next(): Promise<string | undefined> {
    const waiter = Promise.withResolvers<string | undefined>();
    if (this.#kept.length > 0) waiter.resolve(this.#kept.shift());
    else if (this.#failure !== undefined) waiter.reject(this.#failure.error);
    else if (this.#isOver) waiter.resolve(undefined);
    else this.#waiting.push(waiter);
    return waiter.promise;
  }
}

/** Queues the lines of a pipe; returns how to stop. */
function queuePipedLines(input: NodeJS.ReadableStream, lines: LineQueue): () => void {
  const decoder = new Utf8Decoder('standard input');
  let unfinished = '';
  const add = (text: string): void => {
    const pieces = `${unfinished}${text}`.split('\n');
    unfinished = pieces.pop() ?? '';
    for (const line of pieces) lines.add(line.replace(/\r$/, ''));
  };
  const onData = (chunk: Uint8Array | string): void => orStop(() => add(decoder.write(chunk)));
  const onEnd = (): void => {
    orStop(() => add(decoder.end()));
    if (unfinished !== '') lines.add(unfinished);
    lines.end();
  };
  const onError = (error: unknown): void => lines.fail(error);
  const stop = (): void => {
    input.off('data', onData).off('end', onEnd).off('error', onError).pause();
  };
  const orStop = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      stop();
      lines.fail(error);
    }
  };
  input.on('data', onData).on('end', onEnd).on('error', onError);
  return stop;
}

/**
 * The last line of a screen, which belongs to the typing person or to the program, never to both: what is shown while
 * a person types waits until the line is entered or emptied.
 */
class SharedLine {
  readonly #reader: Interface;
  readonly #input: NodeJS.ReadableStream;
  readonly #output: NodeJS.WritableStream;
  readonly #onKey = (): void => this.#beforeKey();
  #held = '';
  #isPrompting = false;
  #isAtStart = true;
  /** The line that is being typed answers a question. */
  isAsking = false;
  #isOver = false;

  constructor(reader: Interface, input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.#reader = reader;
    this.#input = input;
    this.#output = output;
    // Before readline's own listener, which shows the key.
    input.prependListener('keypress', this.#onKey);
    reader.on('line', () => {
      this.isAsking = false;
      this.#isPrompting = false;
      this.#isAtStart = true;
      reader.setPrompt('');
      this.#release();
    });
  }

  prompt(text: string, isQuestion: boolean): void {
    if (this.#isOver) return;
    this.isAsking = isQuestion;
    if (this.#held !== '') this.#showAbove();
    if (!this.#isAtStart) this.#show('\n');
    this.#isPrompting = true;
    this.#reader.setPrompt(text);
    // Keeps what is already typed.
    this.#reader.prompt(true);
  }

  withdraw(): void {
    if (this.#isOver || !this.#isPrompting || this.isAsking || this.#reader.line !== '') return;
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    this.#reader.setPrompt('');
    this.#isPrompting = false;
    this.#isAtStart = true;
  }

  /** Puts text into the line as if it were typed. */
  insert(text: string): void {
    this.#beginTyping();
    this.#reader.write(text);
  }

  write(text: string): void {
    if (this.#isOver) return this.#show(text);
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

  /** No key comes any more: what is shown from now on has the line for itself. */
  endTyping(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#input.removeListener('keypress', this.#onKey);
    const held = this.#held;
    this.#held = '';
    if (held !== '') this.#show(held);
    else if (!this.#isAtStart || this.#isPrompting) this.#show('\n');
  }

  /** Typing begins in the middle of an answer: on a line of its own. */
  #beginTyping(): void {
    if (this.#reader.line !== '' || this.#isPrompting) return;
    if (!this.#isAtStart) this.#show('\n');
    this.#reader.prompt();
  }

  #beforeKey(): void {
    this.#beginTyping();
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

import { pasteMarking, type KeySource } from './keyboard.ts';
import { LineEditor, type EditorOutput } from './line-editor.ts';
import type { Talk, TalkOptions } from './terminal.ts';
import { Utf8Decoder } from './utf8-text.ts';

/** Reads lines from a stream: with editing and history where it is a keyboard, plainly where it is a pipe. */
export function openTalk(
  input: KeySource,
  output: EditorOutput,
  { isPlain = false, ...options }: TalkOptions & { isPlain?: boolean } = {},
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
  const editor = new LineEditor(input, output, {
    ...options,
    isPlain,
    onLine: (line) => lines.add(line),
    onEnd: () => lines.end(),
    // In raw mode Ctrl-C is a key; the rest of the program knows it as a signal.
    onInterrupt: () => void (editor.line === '' ? process.kill(process.pid, 'SIGINT') : editor.clear()),
  });
  if (!isPlain) output.write(pasteMarking.on);
  let isOpen = true;
  return {
    isKeyboard,
    next: () => lines.next(),
    prompt: (text, { isQuestion = false } = {}) => editor.prompt(text, isQuestion),
    withdraw: ({ isQuestion = false } = {}) => editor.withdraw(isQuestion),
    refill: (text) => {
      if (editor.line !== '') return false;
      editor.insert(text);
      return true;
    },
    write: (text) => editor.write(text),
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      if (!isPlain) output.write(pasteMarking.off);
      editor.close();
    },
  };
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

  /** Ends the queue with a failure, after the lines added before. */
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

/** Queues the lines of a pipe; returns a function that stops it. */
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

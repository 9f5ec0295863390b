import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { showControls } from '../chat/drawing/column.ts';
import { wrapWords } from '../chat/drawing/word-wrap.ts';
import { Keyboard, type KeySource } from './keyboard.ts';
import { DrawnPromptArea, PlainPromptArea, type PromptArea } from './prompt-area.ts';
import type { TalkOptions } from './terminal.ts';

/** The screen a line is edited on: the terminal itself, or a stream that plays one. */
export type EditorOutput = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

export type LineEditorOptions = TalkOptions & {
  /** For a terminal that knows no escape sequences. */
  isPlain?: boolean;
  onLine: (line: string) => void;
  /** Called once no more lines come: Ctrl-D, or the keyboard is gone. */
  onEnd: () => void;
  /** Ctrl-C. */
  onInterrupt: () => void;
};

/**
 * The bottom of a screen, which belongs to the typing person or to the program, never to both: output waits while a person types, until the
 * line is entered or emptied. Node's readline keeps the line and its history, but draws nothing: it loses count of its rows as soon as a
 * line wraps.
 */
export class LineEditor {
  readonly #output: EditorOutput;
  readonly #area: PromptArea;
  readonly #keyboard: Keyboard;
  readonly #reader: Interface;
  readonly #options: LineEditorOptions;
  readonly #onResize = (): void => this.#draw();
  #held = '';
  #prompt: string | undefined;
  #isAtStart = true;
  /** The line that is being typed answers a question. */
  #isAsking = false;
  #isOver = false;
  /** The line at the last Tab, so that pressing it again lists the candidates. */
  #completed: { line: string; candidates: readonly string[] } | undefined;

  constructor(input: KeySource, output: EditorOutput, options: LineEditorOptions) {
    const { history, isPlain = false } = options;
    this.#options = options;
    this.#output = output;
    this.#area = isPlain ? new PlainPromptArea(output) : new DrawnPromptArea(output);
    this.#keyboard = new Keyboard(input, (text) => this.insert(text));
    this.#reader = createInterface({
      input: this.#keyboard,
      output: new Writable({ write: (_chunk, _encoding, done) => done() }),
      terminal: true,
      prompt: '',
      history: [...(history?.lines ?? [])],
      historySize: history?.size ?? 100,
      removeHistoryDuplicates: true,
      tabSize: 4,
      completer: (line: string): [string[], string] => this.#complete(line),
    });
    this.#listen();
    output.on('resize', this.#onResize);
  }

  get line(): string {
    return this.#reader.line;
  }

  prompt(text: string, isQuestion: boolean): void {
    if (this.#isOver) return;
    this.#isAsking = isQuestion;
    // A question must not be seen before its subject: that is shown above the line that is being typed.
    if (this.#held !== '') {
      this.#area.erase();
      this.#show(this.#held);
      this.#held = '';
    }
    this.#prompt = text;
    this.#draw();
  }

  /** Takes back a prompt, or with `isQuestion` a question. Text typed behind a question stays; a prompt with text behind it stays, too. */
  withdraw(isQuestion: boolean): void {
    if (this.#isOver || this.#prompt === undefined || this.#isAsking !== isQuestion) return;
    if (!isQuestion && this.line !== '') return;
    this.#prompt = undefined;
    this.#isAsking = false;
    this.#draw();
    this.#release();
  }

  /** Puts text into the line as if it were typed. */
  insert(text: string): void {
    this.#reader.write(asLine(text));
    this.#draw();
  }

  /** Empties the line. */
  clear(): void {
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    this.#draw();
  }

  write(text: string): void {
    if (this.#isOver) return this.#show(text);
    this.#held += text;
    this.#release();
  }

  close(): void {
    this.#endTyping();
    this.#reader.close();
    this.#keyboard.release();
  }

  #listen(): void {
    const reader = this.#reader;
    reader.on('history', (entered: string[]) => {
      // The answer to a question may be a secret, and makes no sense anywhere else.
      if (this.#isAsking) entered.shift();
      else this.#options.history?.keep(entered);
    });
    reader.on('line', (line) => {
      this.#area.leave();
      this.#isAsking = false;
      this.#prompt = undefined;
      this.#release();
      this.#options.onLine(line.replaceAll(lineBreak, '\n'));
    });
    reader.on('close', () => {
      this.#endTyping();
      this.#options.onEnd();
    });
    reader.on('SIGINT', () => this.#options.onInterrupt());
    // The shell has written meanwhile, and readline has stopped reading.
    reader.on('SIGCONT', () => {
      this.#area.forget();
      reader.resume();
      this.#draw();
    });
    // After readline's own listener, which changes the line.
    this.#keyboard.on('keypress', this.#afterKey);
  }

  readonly #afterKey = (_text: unknown, key: Key | undefined): void => {
    // Ctrl-Z stops the process while this runs.
    if (this.#isOver || (key?.ctrl === true && key.name === 'z')) return;
    // Alt and Enter together: another line of the same message.
    if (key?.meta === true && (key.name === 'return' || key.name === 'enter')) this.#reader.write(lineBreak);
    if (key?.ctrl === true && key.name === 'l') this.#clearScreen();
    if (key?.name === 'tab') this.#listCandidates();
    else this.#completed = undefined;
    this.#draw();
    this.#release();
  };

  /** Draws the line as it is; nothing if no line is asked for and none is typed. */
  #draw(): void {
    if (this.#isOver) return;
    if (this.#prompt === undefined && this.line === '') return this.#area.erase();
    // Typing begins in the middle of an answer: on a new line.
    if (!this.#isAtStart) this.#show('\n');
    const { line, cursor } = this.#reader;
    this.#area.draw({ prompt: this.#prompt ?? '', line, cursor });
  }

  /** Ends typing, since no more keys come: output has the screen to itself from now on. */
  #endTyping(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#output.removeListener('resize', this.#onResize);
    this.#keyboard.removeListener('keypress', this.#afterKey);
    this.#area.leave();
    const held = this.#held;
    this.#held = '';
    if (held !== '') this.#show(held);
    else if (!this.#isAtStart) this.#show('\n');
  }

  #complete(line: string): [string[], string] {
    const { word, candidates } = this.#options.complete?.(line) ?? { word: line, candidates: [] };
    if (this.#completed?.line !== line) this.#completed = { line, candidates: [] };
    else this.#completed = { line, candidates };
    return [candidates, word];
  }

  /** Shows the candidates for the word at the cursor, when Tab is pressed again and has nothing to add. */
  #listCandidates(): void {
    const candidates = this.#completed?.candidates ?? [];
    if (candidates.length < 2) return;
    const list = candidates.map((candidate) => candidate.trim()).join('  ');
    this.#showAbove(wrapWords(showControls(list), (this.#output.columns || 80) - 1).join('\n'));
  }

  #clearScreen(): void {
    this.#area.erase();
    if (this.#options.isPlain !== true) this.#output.write('\u001B[H\u001B[2J');
  }

  /** Shows what waits, unless a person types. Above a prompt lines are shown once they are whole. */
  #release(): void {
    if (this.line !== '') return;
    const end = this.#prompt === undefined ? this.#held.length : this.#held.lastIndexOf('\n') + 1;
    const text = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    if (text === '') return;
    if (this.#prompt === undefined) this.#show(text);
    else this.#showAbove(text);
  }

  #showAbove(text: string): void {
    this.#area.erase();
    this.#show(text.endsWith('\n') ? text : `${text}\n`);
    this.#draw();
  }

  #show(text: string): void {
    this.#output.write(text);
    if (text !== '') this.#isAtStart = text.endsWith('\n');
  }
}

type Key = { name?: string; meta?: boolean; ctrl?: boolean };

/** The sign for a line break in a line that is being edited, which is one line to the terminal. */
const lineBreak = '␤';

/** A text as it is put into the line that is being edited. */
function asLine(text: string): string {
  return showControls(text.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '')).replaceAll('\n', lineBreak);
}

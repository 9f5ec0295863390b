import { showControls } from '../chat/drawing/column.ts';
import { Progress } from './progress.ts';
import { wrapWidth } from './terminal.ts';
import type { Terminal } from './terminal.ts';

const width = 24;

/** The progress of long work: a bar on a screen, else a line every few seconds. */
export class ProgressBar {
  readonly #terminal: Terminal;
  readonly #isDrawn: boolean;
  readonly #lines: Progress;
  #isShown = false;

  /** A bar that is silent shows nothing, for results that programs read. */
  constructor(terminal: Terminal, isSilent: boolean) {
    this.#terminal = terminal;
    this.#isDrawn = terminal.screen.isNote && !isSilent && terminal.env['TERM'] !== 'dumb';
    this.#lines = new Progress((text) => (isSilent ? undefined : terminal.note(text)));
  }

  show(progress: number, words: string): void {
    const percent = `${Math.floor(progress * 100)} %`;
    if (!this.#isDrawn) return this.#lines.tick(() => `${percent}  ${showControls(words)}`);
    const done = Math.round(progress * width);
    const bar = `${'█'.repeat(done)}${'░'.repeat(width - done)}`;
    const line = `${bar} ${percent.padStart(5)}  ${showControls(words)}`;
    this.#terminal.note(`\r\u001B[K${line.slice(0, wrapWidth(this.#terminal) - 1)}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#terminal.note('\r\u001B[K');
    this.#isShown = false;
  }
}

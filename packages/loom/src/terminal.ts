import { once } from 'node:events';

/** The surroundings of a command, as a port: tests hand in their own. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  /** Results. With --json exactly one JSON document. */
  out: (text: string) => void;
  /** Waits until a slow reader of the results has caught up, so that they need not be kept. */
  drained?: () => Promise<void>;
  /** Everything that is said about the results: warnings, hints, failures. */
  note: (text: string) => void;
  input: Input;
  /** Asks the person at the keyboard; only where `input` is one. Ctrl-C throws an InterruptedError. */
  ask: (question: string) => Promise<string>;
  /** Which of the two streams go to a screen. */
  screen: { isOut: boolean; isNote: boolean; columns?: number };
  /** Begins to read lines; one talk at a time. */
  talk: () => Promise<Talk>;
  /** Calls back for every Ctrl-C, which then does nothing else. Returns how to stop that. */
  onInterrupt: (listener: () => void) => () => void;
};

/** Lines that are typed, or piped in, while something is shown. */
export type Talk = {
  /** A person types, and may do so at any time; otherwise lines wait in a pipe until they are asked for. */
  isKeyboard: boolean;
  /** The next line, or `undefined` at the end. */
  next: () => Promise<string | undefined>;
  /** Asks for a line on a keyboard; nothing appears when lines are piped in. */
  prompt: (text: string) => void;
  /** Shows text. Waits while a person is typing, so that neither garbles the other. */
  write: (text: string) => void;
  close: () => void;
};

/** Standard input; `setRawMode` exists on a keyboard. */
export type Input = AsyncIterable<Uint8Array | string> & {
  isTTY?: boolean;
  setRawMode?: (isRaw: boolean) => unknown;
};

/** How wide lines of results may get: as the screen, or 100 columns where there is none. */
export function screenWidth({ screen }: Terminal): number {
  // Some terminals do not know how wide they are, and say 0.
  return screen.isOut ? Math.max(40, screen.columns || 80) : 100;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    async drained() {
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
    note: (text) => void process.stderr.write(text),
    get input() {
      return process.stdin;
    },
    async ask(question) {
      const { askLine } = await import('./question.ts');
      return askLine(question, process.stdin, process.stderr);
    },
    screen: { isOut: process.stdout.isTTY, isNote: process.stderr.isTTY, columns: process.stdout.columns },
    async talk() {
      const { openTalk } = await import('./talk.ts');
      return openTalk(process.stdin, process.stdout);
    },
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return () => void process.off('SIGINT', listener);
    },
  };
}

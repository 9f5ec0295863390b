/** The surroundings of a command, as a port: tests hand in their own. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  /** Results. With --json exactly one JSON document. */
  out: (text: string) => void;
  /** Waits until a slow reader of the results has caught up, so that they need not be kept. */
  drained?: () => Promise<void>;
  /** Prints remarks on the results: warnings, hints, failures. */
  note: (text: string) => void;
  input: Input;
  /** Asks the person at the keyboard; only where `input` is one. Ctrl-C throws an InterruptedError. */
  ask: (question: string) => Promise<string>;
  /** Tells which of the two streams go to a screen. */
  screen: { isOut: boolean; isNote: boolean; columns?: number };
  /** Begins to read lines; one talk at a time. */
  talk: (options?: TalkOptions) => Promise<Talk>;
  /** Calls back for every Ctrl-C, which then does nothing else. Returns a function that stops that. */
  onInterrupt: (listener: () => void) => () => void;
};

/** The aids for a person who types. */
export type TalkOptions = {
  history?: LineHistory;
  /** Completes a line up to the cursor on Tab. */
  complete?: (line: string) => { word: string; candidates: string[] };
};

/** Lines that were typed before, the newest first. */
export type LineHistory = {
  size: number;
  lines: readonly string[];
  /** Receives all of them whenever there is a new one. */
  keep: (lines: readonly string[]) => void;
};

/** Lines that are typed, or piped in, while something is shown. */
export type Talk = {
  /** True if a person types, and may do so at any time; otherwise lines wait in a pipe until they are asked for. */
  isKeyboard: boolean;
  /** The next line, or `undefined` at the end. */
  next: () => Promise<string | undefined>;
  /** Asks for a line on a keyboard; nothing appears when lines are piped in. The answer to a question is not remembered. */
  prompt: (text: string, options?: { isQuestion?: boolean }) => void;
  /** Puts text into the line that a person types, to be sent or changed. Returns false if there is no such line, or something in it. */
  refill: (text: string) => boolean;
  /**
   * Takes back a prompt behind which nothing is typed yet, so that something longer can be shown in its place; or a question that no longer
   * needs an answer, from before the typed text.
   */
  withdraw: (options?: { isQuestion?: boolean }) => void;
  /** Shows text. Waits while a person is typing, so that neither garbles the other. */
  write: (text: string) => void;
  close: () => void;
};

/** Standard input; `setRawMode` exists on a keyboard. */
export type Input = AsyncIterable<Uint8Array | string> & {
  isTTY?: boolean;
  setRawMode?: (isRaw: boolean) => unknown;
};

/** Returns the width of result lines: that of the screen, or 100 columns where there is none. */
export function screenWidth({ screen }: Terminal): number {
  // Some terminals do not know their width, and say 0.
  return screen.isOut ? Math.max(40, screen.columns || 80) : 100;
}

/** Returns the width of running text: that of the screen, however narrow. */
export function wrapWidth({ screen }: Terminal): number {
  return Math.max(20, screen.columns || 80);
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    async drained() {
      // Writes are in order: when the last has arrived all have. The stream's error listeners hear of a failure first, and most of them end
      // the process.
      await new Promise<void>((resolve) => void process.stdout.write('', () => setImmediate(resolve)));
    },
    note: (text) => void process.stderr.write(text),
    get input() {
      return process.stdin;
    },
    async ask(question) {
      const { askLine } = await import('./question.ts');
      return askLine(question, process.stdin, process.stderr, { isPlain: process.env['TERM'] === 'dumb' });
    },
    screen: {
      isOut: process.stdout.isTTY,
      isNote: process.stderr.isTTY,
      // Windows are resized.
      get columns() {
        return process.stdout.columns;
      },
    },
    async talk(options = {}) {
      const { openTalk } = await import('./talk.ts');
      return closeAtEnd(
        openTalk(process.stdin, process.stdout, { ...options, isPlain: process.env['TERM'] === 'dumb' }),
      );
    },
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return () => void process.off('SIGINT', listener);
    },
  };
}

/**
 * Gives the terminal back as it was, however this process ends, unless it is killed without a warning. A closed terminal is the end of
 * typing: then the remaining work is finished.
 */
function closeAtEnd(talk: Talk): Talk {
  const close = (): void => {
    process.off('exit', close).off('SIGTERM', onSignal);
    talk.close();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    close();
    process.kill(process.pid, signal);
  };
  // The handler stays: a shell that ends sends the signal again.
  process.on('exit', close).on('SIGTERM', onSignal).on('SIGHUP', close);
  return { ...talk, close };
}

/** The surroundings of a command, as a port: tests hand in their own. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  /** Results. With --json exactly one JSON document. */
  out: (text: string) => void;
  /** Everything that is said about the results: warnings, hints, failures. */
  note: (text: string) => void;
  input: Input;
  /** Asks the person at the keyboard; only where `input` is one. */
  ask: (question: string) => Promise<string>;
  /** Which of the two streams go to a screen. */
  screen: { isOut: boolean; isNote: boolean };
};

/** Standard input; `setRawMode` exists on a keyboard. */
export type Input = AsyncIterable<Uint8Array | string> & {
  isTTY?: boolean;
  setRawMode?: (isRaw: boolean) => unknown;
};

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    get input() {
      return process.stdin;
    },
    async ask(question) {
      const { createInterface } = await import('node:readline/promises');
      const keyboard = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await keyboard.question(question);
      } finally {
        keyboard.close();
      }
    },
    screen: { isOut: process.stdout.isTTY, isNote: process.stderr.isTTY },
  };
}

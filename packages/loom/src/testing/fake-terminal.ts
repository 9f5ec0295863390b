import { runCommandLine } from '../command-line/command-line.ts';
import { InterruptedError } from '../command-line/failure.ts';
import type { Input, Talk, Terminal } from '../terminal/terminal.ts';

/** The outcome of a command. */
export type Outcome = { code: number; out: string; note: string };

export type Surroundings = {
  env?: Readonly<Record<string, string>>;
  /** The piped input; or, with `keyboard`, the keys that are pressed. */
  input?: string | Uint8Array;
  keyboard?: string;
  isScreen?: boolean;
  /** The answers to questions; undefined is Ctrl-C. */
  answers?: (string | undefined)[];
  /** The person who talks; by default the lines of `input` do. */
  talk?: Talk;
  /** The handlers of Ctrl-C, for a test to press it. */
  interrupts?: Set<() => void>;
};

/** Runs a command line inside this process, against a fresh terminal. */
export async function runInside(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const { terminal, written } = fakeTerminal(surroundings);
  const code = await runCommandLine(args, terminal);
  return { code, ...written };
}

export function fakeTerminal(surroundings: Surroundings = {}): {
  terminal: Terminal;
  written: { out: string; note: string };
} {
  const { env = {}, input = '', keyboard, isScreen = false, answers = [], interrupts = new Set() } = surroundings;
  const written = { out: '', note: '' };
  const terminal: Terminal = {
    env,
    out: (text) => {
      written.out += text;
    },
    note: (text) => {
      written.note += text;
    },
    input: makeInput(keyboard ?? input, keyboard !== undefined),
    ask: async (question) => {
      written.note += question;
      const answer = answers.length === 0 ? '' : answers.shift();
      if (answer === undefined) throw new InterruptedError();
      return answer;
    },
    screen: { isOut: isScreen, isNote: isScreen },
    talk: async () => surroundings.talk ?? talkThrough(Buffer.from(input).toString(), terminal.out),
    onInterrupt: (listener) => {
      interrupts.add(listener);
      return () => void interrupts.delete(listener);
    },
  };
  return { terminal, written };
}

/** Lines that wait in a pipe. */
function talkThrough(input: string, write: (text: string) => void): Talk {
  const lines = input === '' ? [] : input.replace(/\n$/, '').split('\n');
  return {
    isKeyboard: false,
    next: () => Promise.resolve(lines.shift()),
    prompt: () => undefined,
    refill: () => false,
    withdraw: () => undefined,
    write,
    close: () => undefined,
  };
}

function makeInput(content: string | Uint8Array, isKeyboard: boolean): Input {
  return {
    isTTY: isKeyboard,
    async *[Symbol.asyncIterator]() {
      // In small pieces, so that characters of several bytes are cut.
      const bytes = Buffer.from(content);
      const size = Math.ceil(bytes.length / 1000);
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

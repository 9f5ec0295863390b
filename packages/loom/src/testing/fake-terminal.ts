import { runCommandLine } from '../command-line.ts';
import type { Input, Terminal } from '../terminal.ts';

/** What a command left behind. */
export type Outcome = { code: number; out: string; note: string };

export type Surroundings = {
  env?: Readonly<Record<string, string>>;
  /** What is piped in; or, with `keyboard`, the keys that are pressed. */
  input?: string;
  keyboard?: string;
  isScreen?: boolean;
  answers?: string[];
};

/** Runs a command line inside this process, against a terminal of its own. */
export async function runInside(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const { terminal, written } = fakeTerminal(surroundings);
  const code = await runCommandLine(args, terminal);
  return { code, ...written };
}

export function fakeTerminal({ env = {}, input = '', keyboard, isScreen = false, answers = [] }: Surroundings = {}): {
  terminal: Terminal;
  written: { out: string; note: string };
} {
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
      return answers.shift() ?? '';
    },
    screen: { isOut: isScreen, isNote: isScreen },
  };
  return { terminal, written };
}

function makeInput(text: string, isKeyboard: boolean): Input {
  return {
    isTTY: isKeyboard,
    async *[Symbol.asyncIterator]() {
      // In small pieces, so that characters of several bytes are cut.
      const bytes = Buffer.from(text);
      const size = Math.ceil(bytes.length / 1000);
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

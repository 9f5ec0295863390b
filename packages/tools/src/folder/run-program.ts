import type { ProcessPort } from '@loom/kernel';
import { searchPathOutside } from './program-path.ts';

/** The parts that are needed to run a program. */
export interface ProgramScope {
  /** Starts programs; without it none is run. */
  processes?: Pick<ProcessPort, 'spawn'> | undefined;
  environment?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  /** The text that the program reads. Default: none. */
  input?: string;
}

/**
 * Git without what the settings of a repository could make it run: a model may have written them. Filters of files are the exception; only
 * what looks at files or checks them out runs those.
 */
export const safeGit: readonly string[] = [
  'git',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'protocol.allow=never',
    'gc.auto=0',
    'submodule.recurse=false',
  ].flatMap((one) => ['-c', one]),
];

/** The end of a program, and what it has printed. */
export interface ProgramResult {
  /** Absent if a signal or a limit ended it. */
  code?: number;
  output: Buffer;
  errors: string;
  /** True if it printed more than is kept. */
  isCut: boolean;
}

/** Runs a program to its end; `undefined` if it cannot be started, such as one that is not installed. */
export async function runProgram(
  command: readonly string[],
  directory: string,
  { processes, environment = {}, signal, input }: ProgramScope,
): Promise<ProgramResult | undefined> {
  const path = environment['PATH'] ?? process.env['PATH'] ?? '/usr/bin:/bin';
  const spawned = await processes?.spawn({
    command,
    directory,
    // Nothing of a person's own settings decides what git and ripgrep answer, and neither asks for anything.
    environment: {
      LC_ALL: 'C.UTF-8',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      ...(process.env['HOME'] === undefined ? {} : { HOME: process.env['HOME'] }),
      ...environment,
      PATH: searchPathOutside(path, directory),
    },
    ...(input === undefined ? {} : { takesInput: true }),
    limits: { output: mostOutput, time: longest },
    ...(signal === undefined ? {} : { signal }),
  });
  if (spawned?.ok !== true) return undefined;
  if (input !== undefined) {
    void spawned.process.write(Buffer.from(input)).then(() => spawned.process.endInput());
  }
  const output: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  for await (const { stream, bytes } of spawned.process.output)
    (stream === 'stdout' ? output : errors).push(bytes.slice());
  const { code } = await spawned.process.ended;
  return {
    ...(code === undefined ? {} : { code }),
    output: Buffer.concat(output),
    errors: Buffer.concat(errors).toString('utf8').slice(0, 10_000),
    isCut: spawned.process.dropped > 0,
  };
}

const mostOutput = 64 * 1024 * 1024;
const longest = 60_000;

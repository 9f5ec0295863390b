import { InterruptedError, LoomError, UsageError } from './failure.ts';

/** The exit codes of the command. The shell adds 130 when Ctrl-C ends the process. */
export const EXIT = {
  /** Done. A reader that closes the pipe early (`loom … | head`) is fine, too. */
  ok: 0,
  /** Failed or refused: the command was right, the world was not. */
  failed: 1,
  /** The command line itself is wrong; nothing was done, and the same line will never work. */
  usage: 2,
  /** `loom run`: an answer came, but calls were denied that needed the permission of a person. */
  denied: 3,
  /** `loom run`: a spending limit was reached. */
  limit: 4,
  /** A defect in Loom. */
  internal: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for a thrown value. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof InterruptedError) return EXIT.interrupted;
  return error instanceof LoomError ? EXIT.failed : EXIT.internal;
}

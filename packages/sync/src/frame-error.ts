import { describeProblems } from '@loom/blocks';
import type { z } from 'zod';

/** Thrown for a frame that is not of this protocol. */
export class FrameError extends Error {
  readonly code = 'bad-frame';

  constructor(problem: string) {
    super(
      `this is not a valid frame of the feed: ${problem}. Close the connection, and check that both sides run the same release`,
    );
    this.name = 'FrameError';
  }
}

/** Parses something that arrived with a schema. Throws a `FrameError`. */
export function readFrame<Frame>(schema: z.ZodType<Frame>, value: unknown): Frame {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problem = describeProblems(parsed.error);
  throw new FrameError(problem.length > longestProblem ? `${problem.slice(0, longestProblem)}…` : problem);
}

/** The longest description of a problem: more helps no reader. */
const longestProblem = 500;

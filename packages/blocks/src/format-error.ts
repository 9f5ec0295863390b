import type { z } from 'zod';
import { describeIssue, formatPath } from './issue-text.ts';

/** One thing wrong with a value, and where: `content[0].text: has to be text`. */
export interface FormatProblem {
  path: string;
  message: string;
}

/** A block or message does not have the shape that it must have. Nothing was changed; `problems` says what to mend. */
export class FormatError extends Error {
  readonly code = 'invalid-format';
  readonly problems: readonly FormatProblem[];

  constructor(what: string, problems: readonly FormatProblem[], options?: ErrorOptions) {
    const shown = problems.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
    super(`not a valid ${what}: ${shown.join('; ')}`, options);
    this.name = 'FormatError';
    this.problems = problems;
  }
}

/** Reads a value by a schema, or throws a `FormatError` that names every problem with its place. */
export function parseAs<T>(schema: z.ZodType<T>, what: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new FormatError(
    what,
    result.error.issues.map((issue) => ({ path: formatPath(issue.path), message: describeIssue(issue) })),
  );
}

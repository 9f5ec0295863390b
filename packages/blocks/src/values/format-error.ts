import type { z } from 'zod';
import { describeIssue, type SchemaProblem } from './schema-problem.ts';

/** A block or message does not have the required shape. Nothing was changed; `problems` says what to correct. */
export class FormatError extends Error {
  readonly code = 'invalid-format';
  readonly problems: readonly SchemaProblem[];

  constructor(what: string, problems: readonly SchemaProblem[], options?: ErrorOptions) {
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
  throw new FormatError(what, result.error.issues.map(describeIssue));
}

import type { z } from 'zod';

/** How many problems are told of a value; more help no one. */
const most = 3;

/** What a schema found wrong, in words for people and models: which field, and what it must be. */
export function describeProblems({ issues }: z.ZodError): string {
  // A value of a wrong type fails everything else that is asked of it, too.
  const firsts = new Map(issues.toReversed().map((issue) => [issue.path.join('.'), issue]));
  const problems = issues.filter((issue) => firsts.get(issue.path.join('.')) === issue);
  const told = problems.slice(0, most).map((issue) => describe(issue, []));
  const rest = problems.length - told.length;
  return rest === 0 ? told.join('; ') : `${told.join('; ')}; and ${rest} more`;
}

type Issue = z.core.$ZodIssue;

function describe(issue: Issue, above: readonly PropertyKey[]): string {
  const path = [...above, ...issue.path];
  const field = path.length === 0 ? 'the value' : path.map(String).join('.');
  switch (issue.code) {
    case 'invalid_type':
      return `${field} must be ${article(issue.expected)}`;
    case 'unrecognized_keys':
      return `${field} has ${list('an unknown key', 'unknown keys', issue.keys)}`;
    case 'invalid_value':
      return `${field} must be ${alternatives(issue.values.map(String))}`;
    case 'too_small':
      return `${field} must ${bound(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `${field} must ${bound(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_union':
      return describeUnion(issue, path, field);
    default:
      // The messages of our own checks begin with what the value must be.
      return `${field} ${issue.message}`;
  }
}

/** Of the alternatives the one that the value came closest to. */
function describeUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: readonly PropertyKey[],
  field: string,
): string {
  if (issue.discriminator !== undefined) return `${field} is of no kind that may stand here`;
  const closest = issue.errors.toSorted((left, right) => deepest(right) - deepest(left))[0]?.[0];
  return closest === undefined ? `${field} fits no alternative` : describe(closest, path);
}

function deepest(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}

function bound(origin: string, which: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${which} ${limit} ${Number(limit) === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `have ${which} ${limit} ${Number(limit) === 1 ? 'element' : 'elements'}`;
  return `be ${which} ${limit}`;
}

function article(expected: string): string {
  const name = { int: 'whole number', nonoptional: 'value', record: 'object' }[expected] ?? expected;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function alternatives(values: readonly string[]): string {
  const last = values.at(-1) ?? '';
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`;
}

function list(one: string, many: string, values: readonly string[]): string {
  return `${values.length === 1 ? one : many}: ${values.join(', ')}`;
}

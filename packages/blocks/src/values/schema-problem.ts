import type { z } from 'zod';

/** One thing wrong with a value, and where: `content[0].text`, `must be a string`. */
export interface SchemaProblem {
  path: string;
  message: string;
}

/** The same as data: where in the value it is, key by key. */
export interface ValueProblem {
  path: (string | number)[];
  problem: string;
}

/** The most problems of one value that are described; a longer list is hard to read. */
const most = 3;

/**
 * Describes the problems that a schema found, in words for people and models: `operations[0].line must be a whole number`.
 */
export function describeProblems(error: z.ZodError): string {
  return formatProblems(problemsOf(error));
}

export function formatProblems(problems: readonly ValueProblem[]): string {
  const described = problems.slice(0, most).map(formatProblem);
  if (problems.length > most) described.push(`and ${problems.length - most} more`);
  return described.join('; ');
}

function formatProblem({ path, problem }: ValueProblem): string {
  return `${formatPath(path) || 'the value'} ${problem}`;
}

/** Returns the problems that a schema found. */
export function problemsOf({ issues }: z.ZodError): ValueProblem[] {
  // A value of a wrong type usually fails the other checks of its field too: only the first problem of a field counts.
  const firsts = new Map(
    issues.toReversed().map((issue) => {
      const { path, problem } = problemAt([], issue);
      return [formatPath(path), { path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)), problem }];
    }),
  );
  return [...firsts.values()].toReversed();
}

type Issue = z.core.$ZodIssue;

/**
 * Returns the field that an issue is about, and the requirement. Of alternatives it takes the one that the value came
 * closest to.
 */
export function describeIssue(issue: Issue): SchemaProblem {
  const { path, problem } = problemAt([], issue);
  return { path: formatPath(path), message: problem };
}

function problemAt(above: readonly PropertyKey[], issue: Issue): { path: PropertyKey[]; problem: string } {
  const path = [...above, ...issue.path];
  const closest = issue.code === 'invalid_union' ? closestAlternative(issue.errors) : undefined;
  return closest === undefined ? { path, problem: requirement(issue) } : problemAt(path, closest);
}

function closestAlternative(alternatives: readonly (readonly Issue[])[]): Issue | undefined {
  return alternatives.toSorted((left, right) => deepest(right) - deepest(left))[0]?.[0];
}

function deepest(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}

function requirement(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords.get(issue.expected) ?? `a ${issue.expected}`}`;
    case 'unrecognized_keys':
      return `has ${issue.keys.length === 1 ? 'an unknown key' : 'unknown keys'}: ${issue.keys.join(', ')}`;
    case 'invalid_value':
      return `must be ${alternatives(issue.values)}`;
    case 'too_small':
      return bound(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return bound(issue.origin, 'at most', Number(issue.maximum));
    case 'invalid_union': {
      const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
      return options.length === 0 ? 'has none of the allowed shapes' : `must be ${alternatives(options)}`;
    }
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      // The messages of our own checks begin with what the value must be.
      return issue.message;
  }
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['nonoptional', 'given'],
  ['never', 'left out'],
]);

function bound(origin: string, which: string, limit: number): string {
  const unit = new Map([
    ['string', 'character'],
    ['array', 'element'],
  ]).get(origin);
  if (unit === undefined) return `must be ${which} ${limit}`;
  if (which === 'at least' && limit === 1) return 'must not be empty';
  return `must have ${which} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

function alternatives(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value) ?? String(value));
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

/** Formats a place in a value: `content[0].text`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

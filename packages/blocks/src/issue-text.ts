import type { z } from 'zod';

/** What is wrong with a value, and where, in words for people: `operations[0].line has to be a whole number`. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.map((issue) => `${formatPath(issue.path) || 'it'} ${describeIssue(issue)}`).join('; ');
}

/** What a value has to be, behind its place. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `has to be ${typeWords.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `has to be ${listed(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'unrecognized_keys':
      return `has ${issue.keys.length === 1 ? 'a field that is' : 'fields that are'} not known: ${issue.keys.join(', ')}`;
    case 'too_small':
      return issue.origin === 'number' ? `has to be ${issue.minimum} or more` : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number' ? `has to be ${issue.maximum} or less` : `is longer than ${issue.maximum}`;
    case 'invalid_union': {
      const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
      return options.length === 0
        ? 'has none of the shapes that it may have'
        : `has to be ${listed(options.map(String))}`;
    }
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message;
  }
}

/** Where in a value something is: `content[0].text`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['never', 'left out'],
]);

function listed(options: readonly string[]): string {
  return options.length < 2 ? options.join('') : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;
}

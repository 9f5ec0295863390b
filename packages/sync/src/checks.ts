/**
 * Returns the problem with a value; `undefined` if there is none. For frames of Loom's own server, which come many times a
 * second: the policy of the page keeps zod from compiling its schemas, and without that they are slow.
 */
export type Check = (value: unknown) => string | undefined;

export const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');

export const truth: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

/** A count, a version, an offset. */
export const whole: Check = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? undefined : 'must be a whole number';

export const anyObject: Check = (value) => (isObject(value) ? undefined : 'must be an object');

/** One of some words. */
export function oneOf(...words: string[]): Check {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? undefined : `must be one of ${words.join(', ')}`);
}

export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}

export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    for (const [index, item] of value.entries()) {
      const problem = check(item);
      if (problem !== undefined) return inside(String(index), problem);
    }
    return undefined;
  };
}

/** An object with these members; what else it has, of a newer program too, is let through. */
export function shape(members: Record<string, Check>): Check {
  const checks = Object.entries(members);
  return (value) => {
    if (!isObject(value)) return 'must be an object';
    for (const [name, check] of checks) {
      const problem = check(value[name]);
      if (problem !== undefined) return inside(name, problem);
    }
    return undefined;
  };
}

/** An object that says by its `type` what else it has. */
export function shapeByType(shapes: Record<string, Check>, unknown: string | undefined): Check {
  return (value) => {
    if (!isObject(value) || typeof value['type'] !== 'string') return 'must be an object with a type';
    return isOfType(value, shapes) ? shapes[value['type']]?.(value) : unknown;
  };
}

/** Returns true if an object has one of some types. */
export function isOfType(value: unknown, shapes: Record<string, Check>): boolean {
  return isObject(value) && typeof value['type'] === 'string' && Object.hasOwn(shapes, value['type']);
}

/** `a` and `0.b must be a string` make `a.0.b must be a string`. */
function inside(name: string, problem: string): string {
  return problem.startsWith('must ') ? `${name} ${problem}` : `${name}.${problem}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

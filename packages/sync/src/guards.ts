import { isPlainObject } from '@loom/blocks';

/** Says of something foreign what it is. */
export type Guard<T> = (value: unknown) => value is T;

type Guarded<G> = G extends Guard<infer T> ? T : never;
type Guards = Readonly<Record<string, Guard<unknown>>>;
type Required<R extends Guards> = { [K in keyof R]: Guarded<R[K]> };
type Optional<O extends Guards> = { [K in keyof O]?: Guarded<O[K]> };

export const isString: Guard<string> = (value) => typeof value === 'string';
export const isBoolean: Guard<boolean> = (value) => typeof value === 'boolean';

/** A count, a version, an offset. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function isOneOf<const T extends string>(...values: readonly T[]): Guard<T> {
  return (value): value is T => values.some((known) => known === value);
}

export function isListOf<T>(guard: Guard<T>, least = 0): Guard<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.length >= least && value.every(guard);
}

export function isEither<G extends readonly Guard<unknown>[]>(...guards: G): Guard<Guarded<G[number]>> {
  return (value): value is Guarded<G[number]> => guards.some((guard) => guard(value));
}

/** An object with these keys and no others. */
export function isExactly<R extends Guards>(required: R): Guard<Required<R>> {
  return isWithin(required, {});
}

/** An object with these keys, perhaps some of the others, and no more. */
export function isWithin<R extends Guards, O extends Guards>(
  required: R,
  optional: O,
): Guard<Required<R> & Optional<O>> {
  const guards = new Map(Object.entries<Guard<unknown>>({ ...required, ...optional }));
  const names = Object.keys(required);
  return (value): value is Required<R> & Optional<O> =>
    isPlainObject(value) &&
    names.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, field]) => guards.get(name)?.(field) === true);
}

/** An object with at least these keys. */
export function isAtLeast<R extends Guards>(required: R): Guard<Required<R>> {
  return (value): value is Required<R> =>
    isPlainObject(value) && Object.entries(required).every(([name, guard]) => guard(value[name]));
}

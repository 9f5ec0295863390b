/** An array that the compiler knows to hold at least one element. */
export type NonEmptyArray<T> = [T, ...T[]];

/** Narrows an array to one with a first element. */
export function isNonEmpty<T>(items: T[]): items is NonEmptyArray<T>;
export function isNonEmpty<T>(items: readonly T[]): items is Readonly<NonEmptyArray<T>>;
export function isNonEmpty(items: readonly unknown[]): boolean {
  return items.length > 0;
}

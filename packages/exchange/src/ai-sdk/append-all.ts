/** Appends without spreading: arguments live on the call stack, which a long enough list overflows. */
export function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}

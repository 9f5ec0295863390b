/** How deep values may be nested in a line: deeper ones are made to break readers, and what is kept has to be read again. */
export const deepestLine = 500;

/** Whether a value is nested deeper than this. */
export function isDeeperThan(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (deepest === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(inner, deepest - 1)) return true;
  return false;
}

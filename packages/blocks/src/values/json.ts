import { isPlainObject } from './plain-object.ts';

/**
 * True for what survives being written as JSON and read again: no NaN, bigint, date, function or hole, and nothing that
 * contains itself. A key with the value `undefined` counts as absent. Walks with its own stack, so depth does no harm.
 */
export function isJson(value: unknown): boolean {
  const path: { holder: object; rest: unknown[] }[] = [];
  const holders = new Set<object>();
  for (let current = value; ;) {
    if (typeof current === 'object' && current !== null) {
      const rest = holders.has(current) ? undefined : valuesOf(current);
      if (rest === undefined) return false;
      path.push({ holder: current, rest });
      holders.add(current);
    } else if (!isScalar(current)) {
      return false;
    }
    let last = path.at(-1);
    for (; last?.rest.length === 0; last = path.at(-1)) {
      holders.delete(last.holder);
      path.pop();
    }
    if (last === undefined) return true;
    current = last.rest.pop();
  }
}

function valuesOf(holder: object): unknown[] | undefined {
  if (Array.isArray(holder)) {
    const elements: readonly unknown[] = holder;
    // Spreading makes holes visible as undefined, which an array of JSON cannot hold.
    return [...elements];
  }
  return isPlainObject(holder) ? Object.values(holder).filter((value) => value !== undefined) : undefined;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

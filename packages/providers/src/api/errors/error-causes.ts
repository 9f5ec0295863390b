import { isPlainObject } from '@loom/blocks';

/** Returns an error and its causes, outermost first. */
export function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && found.length < 8; cause = property(cause, 'cause')) {
    found.push(cause);
  }
  return found;
}

export function property(value: unknown, name: string): unknown {
  if (value instanceof Error || isPlainObject(value)) {
    const found: unknown = Reflect.get(value, name);
    return found ?? undefined;
  }
  return undefined;
}

/**
 * Deep equality of JSON-like values: the order of keys does not count, the order of array elements does, strings are
 * compared code unit by code unit. A key with the value `undefined` counts as absent, as it does in JSON.
 * Walks with its own stack, so that a deeply nested value cannot overflow the call stack.
 */
export function stableDeepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  // Pairs of objects still to compare, one after the other: a flat list makes no garbage.
  const pending: object[] = [];
  if (!comparePair(left, right, pending)) return false;
  while (pending.length > 0) {
    const b = pending.pop();
    const a = pending.pop();
    if (a === undefined || b === undefined || !compareObjects(a, b, pending)) return false;
  }
  return true;
}

/** Compares values that can be compared at once; objects are put off. */
function comparePair(a: unknown, b: unknown, pending: object[]): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  pending.push(a, b);
  return true;
}

function compareObjects(a: object, b: object, pending: object[]): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) {
    return Array.isArray(a) === Array.isArray(b) && compareProperties(a, b, pending);
  }
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!comparePair(a[index], b[index], pending)) return false;
  }
  return true;
}

function compareProperties(a: object, b: object, pending: object[]): boolean {
  let keysOfA = 0;
  for (const key of Object.keys(a)) {
    const value: unknown = Reflect.get(a, key);
    if (value === undefined) continue;
    // Own keys only: an inherited `constructor` or `__proto__` is not content.
    if (!Object.hasOwn(b, key) || !comparePair(value, Reflect.get(b, key), pending)) return false;
    keysOfA += 1;
  }
  let keysOfB = 0;
  for (const key of Object.keys(b)) if (Reflect.get(b, key) !== undefined) keysOfB += 1;
  return keysOfA === keysOfB;
}

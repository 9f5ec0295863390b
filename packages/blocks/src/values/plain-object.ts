/** An object as JSON has it: string keys, any values. The reader checks the values. */
export type PlainObject = Record<string, unknown>;

/** True for objects made by a literal, JSON.parse or Object.create(null); false for arrays, dates, maps and class instances. */
export function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The second test lets in objects of another realm (a vm context, an iframe), whose Object.prototype is not ours.
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

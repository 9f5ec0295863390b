import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

type Holder = PlainObject | unknown[];

/** A longer path, or a larger index, is not an argument of a call. */
const deepest = 100;
const furthest = 10_000;

/**
 * Arguments that Gemini streams as paths and values: `{jsonPath: '$.items[0].name', stringValue: 'Ap', willContinue: true}`. The next value at the
 * same path continues an unfinished string.
 */
export class PartialArguments {
  readonly #root: PlainObject = {};
  #growing: string | undefined;

  get value(): PlainObject {
    return this.#root;
  }

  /** Returns false for an unreadable piece: then nothing has changed. */
  take(piece: unknown): boolean {
    if (!isPlainObject(piece) || typeof piece['jsonPath'] !== 'string') return false;
    const path = readPath(piece['jsonPath']);
    const value = readValue(piece);
    if (path === undefined || value === undefined) return false;
    const isContinued = this.#growing === piece['jsonPath'] && typeof value === 'string';
    const isKept = place(this.#root, path, (old) => (isContinued && typeof old === 'string' ? old + value : value));
    this.#growing = isKept && piece['willContinue'] === true ? piece['jsonPath'] : undefined;
    return isKept;
  }
}

function readValue(piece: PlainObject): unknown {
  if ('nullValue' in piece) return null;
  return [piece['stringValue'], piece['numberValue'], piece['boolValue']].find(
    (value) => typeof value === 'string' || Number.isFinite(value) || typeof value === 'boolean',
  );
}

/** Reads `$.a[0]['b c']` as names and numbers. */
function readPath(text: string): (string | number)[] | undefined {
  if (!text.startsWith('$')) return undefined;
  const path: (string | number)[] = [];
  let at = 1;
  while (at < text.length) {
    const step = /^(?:\.([^.[\]]+)|\[(\d{1,5})\]|\['([^']*)'\]|\["([^"]*)"\])/.exec(text.slice(at));
    if (step === null) return undefined;
    const [whole, name, index, quoted, doubleQuoted] = step;
    path.push(index === undefined ? (name ?? quoted ?? doubleQuoted ?? '') : Number(index));
    at += whole.length;
  }
  return path.length === 0 || path.length > deepest || typeof path[0] === 'number' ? undefined : path;
}

function place(root: Holder, path: readonly (string | number)[], change: (old: unknown) => unknown): boolean {
  let holder: Holder = root;
  for (const [position, step] of path.entries()) {
    if (!fits(holder, step)) return false;
    const next = path[position + 1];
    if (next === undefined) {
      write(holder, step, change(read(holder, step)));
      return true;
    }
    const known = read(holder, step);
    const inner: Holder = Array.isArray(known) || isPlainObject(known) ? known : typeof next === 'number' ? [] : {};
    if (inner !== known) write(holder, step, inner);
    holder = inner;
  }
  return false;
}

function fits(holder: Holder, step: string | number): boolean {
  return Array.isArray(holder) ? typeof step === 'number' && step <= furthest : typeof step === 'string';
}

function read(holder: Holder, step: string | number): unknown {
  return Object.hasOwn(holder, step) ? Reflect.get(holder, step) : undefined;
}

function write(holder: Holder, step: string | number, value: unknown): void {
  // A list has no holes; missing items are null, as JSON would write them.
  if (Array.isArray(holder)) while (holder.length < Number(step)) holder.push(null);
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
}

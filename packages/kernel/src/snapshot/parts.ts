import type { ProjectionPart } from '../store.ts';

export function jsonPart(key: string, value: unknown): ProjectionPart {
  return { key, text: JSON.stringify(value) };
}

/** A number as a piece of a key: keys are sorted as texts. */
export function numberKey(number: number): string {
  return String(number).padStart(10, '0');
}

/**
 * Returns the changes behind one and up to another as a piece of a key. Two processes may reach the same change from
 * different snapshots: what one of them has written about fewer changes must not be taken for what the other one has.
 */
export function spanKey(after: number, last: number): string {
  return `${numberKey(after)}-${numberKey(last)}`;
}

/** Parts by key. */
export class Parts {
  readonly #texts: Map<string, string>;

  constructor(parts: readonly ProjectionPart[]) {
    this.#texts = new Map(parts.map(({ key, text }) => [key, text]));
  }

  keys(prefix: string): string[] {
    return [...this.#texts.keys()].filter((key) => key.startsWith(prefix));
  }

  text(key: string): string | undefined {
    return this.#texts.get(key);
  }

  value(key: string): unknown {
    const text = this.text(key);
    return text === undefined ? undefined : JSON.parse(text);
  }
}

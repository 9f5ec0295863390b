import type { ProjectionPart } from '../store.ts';

export function jsonPart(key: string, value: unknown): ProjectionPart {
  return { key, text: JSON.stringify(value) };
}

/** A number as a piece of a key: keys are sorted as texts. */
export function numberKey(number: number): string {
  return String(number).padStart(10, '0');
}

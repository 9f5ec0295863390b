import type { SQLOutputValue } from 'node:sqlite';

export type Row = Record<string, SQLOutputValue>;

export function numberOf(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new DamagedIndex('a number is missing');
}

export function textOf(value: SQLOutputValue | undefined): string {
  if (typeof value === 'string') return value;
  throw new DamagedIndex('a text is missing');
}

export function bytesOf(value: SQLOutputValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new DamagedIndex('bytes are missing');
}

/** The error for an index whose contents cannot be right: it must be made anew. */
export class DamagedIndex extends Error {
  readonly code = 'search-index-damaged';

  constructor(what: string) {
    super(`the search index is damaged (${what}); it is made anew`);
  }
}

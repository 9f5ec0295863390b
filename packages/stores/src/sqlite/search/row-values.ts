import type { SQLOutputValue } from 'node:sqlite';
import { DamagedIndex } from '../../search/damaged-index.ts';

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

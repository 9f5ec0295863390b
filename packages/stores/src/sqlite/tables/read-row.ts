import type { SQLOutputValue } from 'node:sqlite';
import { StoreError } from '@loom/kernel/store';
import { corruptAdvice } from '../failures.ts';

/** A row as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>;

export function numberOf(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw damaged('a number is missing');
}

export function textOf(value: SQLOutputValue | undefined): string {
  if (typeof value === 'string') return value;
  throw damaged('a text is missing');
}

export function damaged(what: string): StoreError {
  return new StoreError('store-corrupt', `loom.db is damaged: ${what}`, corruptAdvice);
}

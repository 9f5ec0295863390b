import type { Refusal } from '@loom/kernel';
import { isObject, parseJson } from '../json.ts';
import { isQueueable } from './queued-operations.ts';
import type { StoredEntry } from './outbox-storage.ts';

/** An outbox's record of something that was done here and is not answered yet. */
export interface OutboxRecord {
  /** Also the key of the request: it is done once, however often it is sent. */
  readonly id: string;
  /** Its place: one more than the highest that was known when it was added. Clocks may be set back, so it is not a time. */
  readonly order: number;
  readonly operation: string;
  readonly params: unknown;
  /** The entries whose answers its parameters refer to. */
  readonly needs: readonly string[];
  /** The time at which it was added, in milliseconds since 1970. */
  readonly added: number;
  /** The reason that it was not done. */
  readonly trouble?: OutboxTrouble;
}

/** The operation was refused, or the server took nothing of it for another reason; `code` is that of a `ClientError`. */
export type OutboxTrouble = { type: 'refused'; refusal: Refusal } | { type: 'failed'; code: string; message: string };

/** Far above what an outbox counts to, and far enough below what numbers can count to. */
const highestOrder = 1e15;

export function writeRecord({ id, ...fields }: OutboxRecord): StoredEntry {
  return { id, text: JSON.stringify(fields) };
}

/** Reads a record; `undefined` for an entry that is not one: by another program, cut off, or altered. */
export function readRecord({ id, text }: StoredEntry): OutboxRecord | undefined {
  const fields = parseJson(text);
  if (!/^[!-~]{1,200}$/u.test(id) || !isObject(fields)) return undefined;
  const { order, operation, params, needs, added, trouble } = fields;
  if (typeof order !== 'number' || !Number.isInteger(order) || Math.abs(order) > highestOrder) return undefined;
  if (typeof operation !== 'string' || !isQueueable(operation)) return undefined;
  if (typeof added !== 'number' || !isObject(params) || !isTexts(needs)) return undefined;
  const record = { id, order, operation, params, needs, added };
  if (trouble === undefined) return record;
  return isTrouble(trouble) ? { ...record, trouble } : undefined;
}

/** The first one first. */
export function byOrder(one: OutboxRecord, other: OutboxRecord): number {
  return one.order - other.order || (one.id < other.id ? -1 : 1);
}

function isTrouble(value: unknown): value is OutboxTrouble {
  if (!isObject(value)) return false;
  if (value['type'] === 'failed') return typeof value['code'] === 'string' && typeof value['message'] === 'string';
  return value['type'] === 'refused' && isObject(value['refusal']) && typeof value['refusal']['reason'] === 'string';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

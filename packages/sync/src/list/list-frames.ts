import type { Cursor, JobFacts, ListedRoot, Refusal } from '@loom/kernel';
import { z } from 'zod';
import { readFrame } from '../frame-error.ts';

/** What a client of the list says: it begins, or begins again. With a cursor it asks for what it has missed. */
export interface ListJoinFrame {
  type: 'join-list';
  id: string;
  protocol: number;
  /** How many conversations the first page may have. */
  limit?: number;
  /** False: no conversations of agents that others have sent out are in the first page. Those that change are told all the same. */
  children?: false;
  cursor?: Cursor;
}

/** What a server says about the list. */
export type ListFrame =
  /** The first page, the conversation that was changed last first; `next` is where the next page begins. */
  | { type: 'list'; id: string; cursor: Cursor; items: ListedRoot[]; next?: string }
  /** Conversations as they are listed from now on, deleted ones too. With an id it answers a join: this was missed. */
  | { type: 'list-changed'; id?: string; cursor: Cursor; items: ListedRoot[] }
  /** All long work that the client may know of, whenever it changes, and behind the answer to a join if there is any. */
  | { type: 'jobs'; jobs: JobFacts[] }
  | { type: 'refused'; id: string; refusal: Refusal }
  /** What waited was too much for a slow reader: join again. */
  | { type: 'resync' };

/** The most conversations that a first page may have. */
export const longestList = 10_000;

/** Reads what a client says, strictly: it comes from outside. Throws a `FrameError`. */
export function parseListJoin(value: unknown): ListJoinFrame {
  return readFrame(join, value);
}

/** Reads what a server says; `undefined` for a kind of frame that only a newer server knows. Throws a `FrameError`. */
export function parseListFrame(value: unknown): ListFrame | undefined {
  const { type } = readFrame(named, value);
  return types.has(type) ? readFrame(frame, value) : undefined;
}

/** A frame as it travels. */
export function encodeListFrame(said: ListJoinFrame | ListFrame): string {
  return JSON.stringify(said);
}

const text = z.string();
const whole = z.int().min(0);
const cursor = z.strictObject({ epoch: text, seq: whole });

const join: z.ZodType<ListJoinFrame> = z.strictObject({
  type: z.literal('join-list'),
  id: text.min(1).max(200),
  protocol: z.number(),
  limit: z.int().min(1).max(longestList).exactOptional(),
  children: z.literal(false).exactOptional(),
  cursor: cursor.exactOptional(),
});

/** What a list looks at; what else there is, of a newer server too, is handed on. */
const itemShape = z.looseObject({ id: text, updated: text, deleted: z.boolean() });
const item = z.custom<ListedRoot>((value) => itemShape.safeParse(value).success, 'must be a conversation of a list');
const items = z.array(item);
const jobShape = z.looseObject({ id: text, kind: text, state: text, words: text });
const job = z.custom<JobFacts>((value) => jobShape.safeParse(value).success, 'must be a job');
const refusal = z.custom<Refusal>((value) => z.looseObject({ reason: text }).safeParse(value).success);

const frame: z.ZodType<ListFrame> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('list'), id: text, cursor, items, next: text.exactOptional() }),
  z.object({ type: z.literal('list-changed'), id: text.exactOptional(), cursor, items }),
  z.object({ type: z.literal('jobs'), jobs: z.array(job) }),
  z.object({ type: z.literal('refused'), id: text, refusal }),
  z.object({ type: z.literal('resync') }),
]);
const named = z.looseObject({ type: text });
const types = new Set(['list', 'list-changed', 'jobs', 'refused', 'resync']);

import type { Cursor, HomeNews, JobFacts, ListedRoot, Refusal } from '@loom/kernel';
import { z } from 'zod';
import { anyObject, isOfType, listOf, optional, shape, shapeByType, text, truth, whole } from '../checks.ts';
import type { Check } from '../checks.ts';
import { FrameError, readFrame } from '../frame-error.ts';

/** A frame from a client of the list: it begins, or begins again. With a cursor it asks for what it has missed. */
export interface ListJoinFrame {
  type: 'join-list';
  id: string;
  protocol: number;
  /** The most conversations that the first page may have. */
  limit?: number;
  /** False: the first page has no conversations of agents that others have sent out. Those that change are sent all the same. */
  children?: false;
  cursor?: Cursor;
}

/** A frame from a server about the list. */
export type ListFrame =
  /** The first page, the conversation that was changed last first; `next` is where the next page begins. */
  | { type: 'list'; id: string; cursor: Cursor; items: ListedRoot[]; next?: string }
  /** Conversations as they are listed from now on, deleted and archived ones too. With an id it answers a join: this was missed. */
  | { type: 'list-changed'; id?: string; cursor: Cursor; items: ListedRoot[] }
  /** All long work that the client may know of, whenever it changes, and behind the answer to a join if there is any. */
  | { type: 'jobs'; jobs: JobFacts[] }
  /** A home has changed that the client may read: its own, or that of a project. Without a home any may have, without keys any entry. */
  | ({ type: 'home-changed' } & HomeNews)
  | { type: 'refused'; id: string; refusal: Refusal }
  /** Too many frames waited for a slow reader: join again. */
  | { type: 'resync' };

/** The most conversations that a first page may have. */
export const longestList = 10_000;

/** Reads what a client says, strictly: it comes from outside. Throws a `FrameError`. */
export function parseListJoin(value: unknown): ListJoinFrame {
  return readFrame(join, value);
}

/** Reads what a server says; `undefined` for a kind of frame that only a newer server knows. Throws a `FrameError`. */
export function parseListFrame(value: unknown): ListFrame | undefined {
  const problem = listFrame(value);
  if (problem !== undefined) throw new FrameError(problem);
  return isKnown(value) ? value : undefined;
}

/** Narrows a frame that was checked. */
function isKnown(value: unknown): value is ListFrame {
  return isOfType(value, frames);
}

/** A frame as it travels. */
export function encodeListFrame(said: ListJoinFrame | ListFrame): string {
  return JSON.stringify(said);
}

const cursor = z.strictObject({ epoch: z.string(), seq: z.int().min(0) });

const join: z.ZodType<ListJoinFrame> = z.strictObject({
  type: z.literal('join-list'),
  id: z.string().min(1).max(200),
  protocol: z.number(),
  limit: z.int().min(1).max(longestList).exactOptional(),
  children: z.literal(false).exactOptional(),
  cursor: cursor.exactOptional(),
});

/** The fields that a list looks at; other fields, of a newer server too, are handed on. */
const items = listOf(shape({ id: text, updated: text, deleted: truth, archived: optional(truth) }));
const place = shape({ epoch: text, seq: whole });

const frames: Record<ListFrame['type'], Check> = {
  list: shape({ id: text, cursor: place, items, next: optional(text) }),
  'list-changed': shape({ id: optional(text), cursor: place, items }),
  jobs: shape({ jobs: listOf(shape({ id: text, kind: text, state: text, words: text })) }),
  'home-changed': shape({
    home: optional(shape({ person: optional(text), project: optional(text) })),
    keys: optional(listOf(text)),
  }),
  refused: shape({ id: text, refusal: shape({ reason: text }) }),
  resync: anyObject,
};
const listFrame = shapeByType(frames, undefined);

import { cleanString, cleanText, copyJson, message, messageBlock, plainObject, textBlock } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { z } from 'zod';
import { forestLogName } from '../log/codec/forest-codec.ts';
import type { SourceInfo } from '../node-metadata.ts';
import { rootConfig } from '../op.ts';
import type { RootConfig } from '../op.ts';
import { refuseParams } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { AppendParams } from './editing/append.ts';
import type { CreateDraftParams } from './editing/drafts.ts';
import type { EditBlockParams } from './editing/text/edit-block.ts';
import type { EditNodeParams } from './editing/text/edit-node.ts';
import type { ForkParams } from './editing/copying/fork.ts';
import type { BookmarkParams, MarkNodeParams, MarkRootParams } from './editing/marks.ts';
import type { MoveParams } from './editing/move.ts';
import type { RemoveParams } from './editing/remove.ts';

/** The parameters of a forest's operations. Callers need not be typed, so everything is checked before it is looked at. */

const id = z.string().min(1);

/** The longest id of a root: it is the name of a folder, too. */
const longestRootId = 255;

/** A well-formed id of a root, whether or not that root exists. */
const rootId = id
  .max(longestRootId)
  .refine((text) => text === cleanText(text) && text !== forestLogName, { error: 'is not the id of a conversation' });
const tags = z.array(z.string()).nullable().exactOptional();
const title = z.string().nullable();

export const rootParams = z.strictObject({ root: rootId });

export const configParams: z.ZodType<{ config: RootConfig }> = z.strictObject({
  config: rootConfig.refine((config) => copyJson(config).ok, { error: 'must hold nothing but JSON' }),
});

export const appendParams: z.ZodType<AppendParams> = z.strictObject({
  parent: id,
  messages: z.array(message),
  source: z.custom<(said: Message) => SourceInfo>((value) => typeof value === 'function').exactOptional(),
  importing: z.boolean().exactOptional(),
  match: z.enum(['exact', 'said']).exactOptional(),
});

export const editNodeParams: z.ZodType<EditNodeParams> = z.strictObject({
  node: id,
  content: z.union([z.string(), z.array(textBlock)]),
  mode: z.enum(['sibling', 'in-place', 'split']).exactOptional(),
  expected: z.union([z.string(), z.array(textBlock)]).exactOptional(),
});

export const editBlockParams: z.ZodType<EditBlockParams> = z.union([
  z.strictObject({ block: id, text: z.string(), expected: z.string().exactOptional() }),
  z.strictObject({ block: id, content: messageBlock }),
]);

export const forkParams: z.ZodType<ForkParams> = z.strictObject({ block: id });

export const nodeParams = z.strictObject({ node: id });

export const removeParams: z.ZodType<RemoveParams> = z.strictObject({
  node: id,
  children: z.enum(['remove', 'reparent']),
});

export const moveParams: z.ZodType<MoveParams> = z.strictObject({ node: id, parent: id });

export const moveToRootParams = z.strictObject({
  from: z.strictObject({ root: rootId, node: id }),
  to: z.strictObject({ root: rootId, parent: id }),
});

export const markNodeParams: z.ZodType<MarkNodeParams> = z.strictObject({
  node: id,
  title: title.exactOptional(),
  tags,
  exclude: z.array(z.string()).nullable().exactOptional(),
  context_start: z.boolean().nullable().exactOptional(),
  custom_data: plainObject.nullable().exactOptional(),
});

export const markRootParams: z.ZodType<MarkRootParams> = z.strictObject({
  title: title.exactOptional(),
  tags,
  add_tags: z.array(z.string()).exactOptional(),
  remove_tags: z.array(z.string()).exactOptional(),
  archived: z.boolean().exactOptional(),
  project: cleanString.nullable().exactOptional(),
});

export const createDraftParams: z.ZodType<CreateDraftParams> = z.strictObject({
  title: cleanString.exactOptional(),
  text: cleanString,
});

export const bookmarkParams: z.ZodType<BookmarkParams> = z.strictObject({ node: id, title });

export const undoParams = z.strictObject({ change: z.int().positive().optional() });

/** Parameters as an operation may use them, or why it is refused. */
export function readParams<T>(schema: z.ZodType<T>, params: unknown): { ok: true; value: T } | Refused {
  const parsed = schema.safeParse(params);
  return parsed.success ? { ok: true, value: parsed.data } : refuseParams(parsed.error);
}

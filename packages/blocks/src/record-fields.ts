import { z } from 'zod';
import { agentId } from './agent.ts';
import { cleanFields, cleanText } from './text/clean-text.ts';
import { isJson } from './values/json.ts';
import { isPlainObject } from './values/plain-object.ts';
import type { PlainObject } from './values/plain-object.ts';

/** The stage of a block's life. Only `running` blocks grow; `error` goes with an `error` field. */
export const blockStatus = z.enum(['pending', 'running', 'done', 'error']);
export type BlockStatus = z.infer<typeof blockStatus>;

/** Text that is shown, searched or stored on its own: lone surrogates and NUL become U+FFFD. */
export const cleanString = z.string().overwrite(cleanText);

/** A JSON object that is kept exactly as it came, keys in their order, `__proto__` included. */
export const plainObject = z.custom<PlainObject>((value) => isPlainObject(value) && isJson(value), {
  error: 'must be a plain object that JSON can hold',
  abort: true,
});

/** A JSON object that is kept for people and programs to read: its texts are clean. */
export const cleanObject = plainObject.overwrite(cleanFields);

/**
 * Opaque data that a provider needs back byte for byte (thinking signatures, encrypted reasoning, item ids, the native
 * payload of a tool result), keyed by provider.
 */
export const providerData = plainObject;

/** Fields that any block may carry beside its content. On disk those at their default are left out. */
export const recordFields = {
  /** `<root>/@<agent>/<n>`. A tool-use's `id` is something else: the provider's correlation id. */
  block_id: z
    .string()
    .regex(/^.+\/@[^/]+\/\d+$/, { error: 'must look like <root>/@<agent>/<n>' })
    .exactOptional(),
  status: blockStatus.exactOptional(),
  version: z.int().nonnegative().exactOptional(),
  agent: agentId.exactOptional(),
  created_at: cleanString.exactOptional(),
  /** The time of its last word, for blocks that grew. */
  ended_at: cleanString.exactOptional(),
  metadata: plainObject.exactOptional(),
  error: z.strictObject({ code: cleanString, message: cleanString }).exactOptional(),
  /** Hash of what the model was shown before it wrote this block. */
  prefix: cleanString.exactOptional(),
  /** Shown to people, never sent to a model. */
  ephemeral: z.boolean().exactOptional(),
  /** The block and version that this one was copied from. */
  from: z.strictObject({ block: cleanString, version: z.int().nonnegative() }).exactOptional(),
  provider: providerData.exactOptional(),
  /** A purge took out all that it said. */
  purged: z.literal(true).exactOptional(),
};

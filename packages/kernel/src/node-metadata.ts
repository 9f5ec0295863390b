import { z } from 'zod';
import { plainObject } from '@loom/blocks';

/** The tokens that one call of a model used; `raw` is the provider's own report. */
export const usage = z.strictObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_input_tokens: z.number().exactOptional(),
  cache_write_tokens: z.number().exactOptional(),
  reasoning_tokens: z.number().exactOptional(),
  /**
   * The approximate part of the input that was in a cache and had to be paid again, since something before it was changed.
   */
  repeated_input_tokens: z.number().exactOptional(),
  cost_usd: z.number().exactOptional(),
  /** The call did not reach its end, and has said more than was reported: tokens are estimated. */
  estimated: z.boolean().exactOptional(),
  raw: z.unknown().exactOptional(),
});
export type Usage = z.infer<typeof usage>;

/** The source of a node. */
export const sourceInfo = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('user') }),
  z.strictObject({ type: z.literal('tool_result'), tool_name: z.string() }),
  z.strictObject({
    type: z.literal('model'),
    provider: z.string(),
    model_name: z.string(),
    parameters: plainObject,
    tools: z.array(z.unknown()).exactOptional(),
    tool_choice: z.unknown().exactOptional(),
    finish_reason: z.string().exactOptional(),
    usage: usage.exactOptional(),
  }),
]);
export type SourceInfo = z.infer<typeof sourceInfo>;

/** The source of a copy: what a call of a model cost is counted once, at the node that the call made. */
export function sourceWithoutUsage(source: SourceInfo): SourceInfo {
  if (source.type !== 'model') return source;
  const { usage: _usage, ...rest } = source;
  return rest;
}

import { z } from 'zod';
import { patchResult } from '../block-tools/schemas.ts';
import type { Outcome } from '../refusal.ts';
import { modelWords } from './model-words.ts';
import { once } from '../once.ts';

/**
 * The result of `block.apply_patch` for MCP and models, refused or not: in a special form, as they know it from other
 * programs.
 */
export const patchAnswerSchema = once(() =>
  z.strictObject({
    success: z.boolean(),
    errors: z.array(z.string()).exactOptional(),
    ...patchResult().shape,
  }),
);
export type PatchAnswer = z.infer<ReturnType<typeof patchAnswerSchema>>;

export function patchAnswer(outcome: Outcome<z.infer<ReturnType<typeof patchResult>>>): PatchAnswer {
  if (outcome.ok) return { success: true, ...outcome.value };
  const { refusal } = outcome;
  return { success: false, errors: refusal.reason === 'patch-failed' ? refusal.errors : [modelWords(refusal)] };
}

import { z } from 'zod';
import { patchResult } from '../block-tools/schemas.ts';
import type { Outcome } from '../refusal.ts';
import { modelWords } from './model-words.ts';
import { once } from '../once.ts';

/** What MCP and models get for `block.apply_patch`, refused or not: a form of its own, as they know it from other programs. */
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

import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';

const name = z.string().min(1);

/** The settings of a request beside its content. */
const schema = z.object({
  temperature: z.number().nonnegative().exactOptional(),
  topP: z.number().nonnegative().exactOptional(),
  topK: z.int().nonnegative().exactOptional(),
  seed: z.int().exactOptional(),
  stopSequences: z.array(z.string().min(1)).exactOptional(),
  /** The amount of thinking before an answer: a word, or the most tokens. */
  reasoning: z.union([z.enum(['off', 'low', 'medium', 'high', 'max']), z.int().nonnegative()]).exactOptional(),
  /** Tools that the provider runs itself, by Loom's names for them. */
  providerTools: z.array(z.enum(['web_search', 'web_fetch', 'code_execution'])).exactOptional(),
  /** Asks the provider why its cache did not hit, if it can say; it keeps a fingerprint of each request for that. */
  cacheDiagnostics: z.boolean().exactOptional(),
  /** True if Anthropic is to leave out thoughts from another conversation; on by default for models that check this. */
  blockBinding: z.boolean().exactOptional(),
  /** Passed to the SDK unchanged, by the name of the provider. */
  providerOptions: z.record(name, z.record(name, z.json())).exactOptional(),
});
export type CallSettings = z.infer<typeof schema>;

/** The tokens that stay for the text of an answer if thinking has a budget and counts towards the same limit. */
export const leastAnswer = 1024;

/** Reads the settings of a request. Throws an error that names a wrong one; unknown ones belong to other providers. */
export function readCallSettings(settings: PlainObject): CallSettings {
  const parsed = schema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  throw new Error(`the setting ${problem?.path.join('.') ?? ''} is not valid: ${problem?.message ?? ''}`);
}

/** Returns the settings that every SDK takes by the same name. Temperature and the like are sent only if they were set. */
export function sampling({ temperature, topP, topK, seed, stopSequences }: CallSettings): {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  stopSequences?: string[];
} {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(seed === undefined ? {} : { seed }),
    ...(stopSequences === undefined ? {} : { stopSequences }),
  };
}

/** Returns the token limit of an answer as a number that an API accepts; for APIs that require one. */
export function outputLimit(maxTokens = Infinity): number {
  return Number.isFinite(maxTokens) ? Math.max(1, Math.floor(maxTokens)) : 8192;
}

/** The same for an API that has its own limit for each model: no field if none is known. */
export function knownLimit(maxTokens: number | undefined, least = 1): { maxOutputTokens?: number } {
  return maxTokens === undefined ? {} : { maxOutputTokens: Math.max(outputLimit(maxTokens), least) };
}

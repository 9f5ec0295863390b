import { z } from 'zod';

const found = z.object({
  root: z.string(),
  node: z.string(),
  block: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  type: z.string(),
  about: z.string().optional(),
  part: z.enum(['text', 'output', 'file', 'version']),
  line: z.number(),
  kind: z.string(),
  masked: z.string(),
});

/** A secret in a conversation; no part of it that could be used. */
export type SecretFound = z.infer<typeof found>;

/** The result of a scan. */
export const secretReport = z.object({
  roots: z.number(),
  blocks: z.number(),
  found: z.array(found),
  more: z.number(),
  unread: z.array(z.string()),
  skipped: z.object({ large: z.number(), binary: z.number(), versions: z.number() }),
  cancelled: z.boolean(),
});
export type SecretReport = z.infer<typeof secretReport>;

export const startedScan = z.object({ job: z.string() });
export const scanJob = z.object({ state: z.string(), words: z.string(), result: z.unknown().optional() });

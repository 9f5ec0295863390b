import { z } from 'zod';

const secret = z.object({
  node: z.string(),
  block: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  type: z.string(),
  about: z.string().optional(),
  kind: z.string(),
  masked: z.string(),
});

/** A secret in what is about to be shared. */
export type FoundSecret = z.infer<typeof secret>;

/** The extent of what a link would show, and the secrets in it. */
export const sharePreview = z.object({
  title: z.string().optional(),
  branches: z.number(),
  messages: z.number(),
  blocks: z.number(),
  tools: z.number(),
  thinking: z.number(),
  bytes: z.number(),
  secrets: z.array(secret),
});

/** A link that was made; shown this once. */
export const madeShare = z.object({ id: z.string(), path: z.string(), until: z.number() });
export type MadeShare = z.infer<typeof madeShare>;

export const savedShare = z.object({ blob: z.string(), name: z.string(), media_type: z.string() });

export const shareList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      root: z.string(),
      leaf: z.string(),
      title: z.string().optional(),
      whole: z.boolean(),
      thinking: z.boolean(),
      replaced: z.boolean(),
      agent: z.string(),
      until: z.number(),
      ended: z.boolean(),
    }),
  ),
});
export type ListedShare = z.infer<typeof shareList>['items'][number];

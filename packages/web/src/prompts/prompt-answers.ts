import { z } from 'zod';

const content = {
  name: z.string(),
  description: z.string().optional(),
  argument_hint: z.string().optional(),
  model: z.string().optional(),
};

const listed = z.object({
  ...content,
  description: z.string(),
  source: z.enum(['own', 'project', 'folder', 'claude', 'codex']),
  hidden: z.boolean().optional(),
  path: z.string().optional(),
  allowed_tools: z.string().optional(),
});

/** A prompt of the library, without its text. */
export type ListedPrompt = z.infer<typeof listed>;

export const promptList = z.object({
  items: z.array(listed),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
});

export const wholePrompt = listed.extend({ text: z.string() });
export type WholePrompt = z.infer<typeof wholePrompt>;

/** A prompt as it was before it was replaced or removed. */
export const changedPrompt = z.object({ before: z.object({ ...content, text: z.string() }).optional() });

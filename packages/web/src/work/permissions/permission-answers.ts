import { z } from 'zod';

const effect = z.enum(['allow', 'ask', 'deny']);
const rule = z.object({
  tool: z.string(),
  path: z.string().optional(),
  command: z.string().optional(),
  host: z.string().optional(),
  directory: z.string().optional(),
  effect,
});
export type Rule = z.infer<typeof rule>;
export type Effect = z.infer<typeof effect>;

const storedRule = z.object({
  id: z.string(),
  rule,
  by: z.string().optional(),
  at: z.string().optional(),
  uses: z.number().optional(),
});
export type StoredRule = z.infer<typeof storedRule>;
export const ruleList = z.object({
  items: z.array(storedRule),
  next: z.string().optional(),
});

export const testedRule = z.object({
  permission: z.enum(['run', 'ask', 'deny']),
  reason: z.string(),
  rule: rule.optional(),
});
export type TestedRule = z.infer<typeof testedRule>;

const madeDecision = z.object({
  root: z.string(),
  node: z.string(),
  tool: z.string(),
  summary: z.string(),
  decision: z.string(),
  by: z.string().optional(),
  at: z.union([z.string(), z.number()]),
  scope: z.string().optional(),
  rule: z.unknown().optional(),
});
export type MadeDecision = z.infer<typeof madeDecision>;
export const decisionList = z.object({ items: z.array(madeDecision), next: z.string().optional() });

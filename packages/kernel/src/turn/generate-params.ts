import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

/** Who else is to answer. */
export interface AnswerParams {
  provider: string;
  model: string;
  settings?: PlainObject;
}

/** The turns that were started, and the nodes that their answers begin with. */
export interface StartedTurns {
  turns: string[];
  nodes: string[];
}

/** What a turn is asked to do. */
export interface GenerateParams {
  node: string;
  provider: string;
  model: string;
  settings?: PlainObject;
  /** Names of the tools that it may use; by default those of the conversation's config. */
  tools?: readonly string[];
  /** How many answers, side by side. With more than one there are no tools. */
  n?: number;
  /** Answers of other models beside this one's. */
  answers?: readonly AnswerParams[];
  maxRounds?: number;
}

const answerParams: z.ZodType<AnswerParams> = z.strictObject({
  provider: z.string(),
  model: z.string().min(1),
  settings: plainObject.exactOptional(),
});

export const generateParams: z.ZodType<GenerateParams> = z.strictObject({
  node: z.string(),
  provider: z.string(),
  model: z.string().min(1),
  settings: plainObject.exactOptional(),
  tools: z.array(z.string()).exactOptional(),
  n: z.int().min(1).max(100).exactOptional(),
  answers: z.array(answerParams).max(100).exactOptional(),
  maxRounds: z.int().positive().exactOptional(),
});

/** Requests that an older version answered named no nodes. */
export const startedTurns: z.ZodType<StartedTurns> = z.strictObject({
  turns: z.array(z.string()),
  nodes: z.array(z.string()).default([]),
});

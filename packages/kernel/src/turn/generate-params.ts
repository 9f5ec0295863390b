import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { toolDescription } from '../op.ts';
import type { ToolDescription } from '../provider.ts';

/** Another model that is to answer. */
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

/** The task of a turn. */
export interface GenerateParams {
  node: string;
  provider: string;
  model: string;
  settings?: PlainObject;
  /** Names of the tools that it may use; by default those of the conversation's config, or none if its calls are left. */
  tools?: readonly string[];
  /** The caller runs the calls and appends their results: Loom leaves them open. */
  leavesCalls?: boolean;
  /** Tools that only the caller knows; for turns whose calls are left. */
  callerTools?: readonly ToolDescription[];
  /** The number of answers, side by side. With more than one there are no tools. */
  n?: number;
  /** Answers of other models beside this one's. */
  answers?: readonly AnswerParams[];
  maxRounds?: number;
  /** It may spend as much again as a limit that was reached. */
  beyondLimits?: boolean;
}

const answerParams: z.ZodType<AnswerParams> = z.strictObject({
  provider: z.string(),
  model: z.string().min(1),
  settings: plainObject.exactOptional(),
});

export const generateParams: z.ZodType<GenerateParams> = z
  .strictObject({
    node: z.string(),
    provider: z.string(),
    model: z.string().min(1),
    settings: plainObject.exactOptional(),
    tools: z.array(z.string()).exactOptional(),
    leavesCalls: z.boolean().exactOptional(),
    callerTools: z.array(toolDescription).exactOptional(),
    n: z.int().min(1).max(100).exactOptional(),
    answers: z.array(answerParams).max(100).exactOptional(),
    maxRounds: z.int().positive().exactOptional(),
    beyondLimits: z.boolean().exactOptional(),
  })
  .refine(({ leavesCalls, callerTools = [] }) => leavesCalls === true || callerTools.length === 0, {
    path: ['caller_tools'],
    error: 'needs leaves_calls: true, because Loom cannot run these tools',
  });

/** Requests that an older version answered named no nodes. */
export const startedTurns: z.ZodType<StartedTurns> = z.strictObject({
  turns: z.array(z.string()),
  nodes: z.array(z.string()).default([]),
});

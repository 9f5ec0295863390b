import { z } from 'zod';
import { messageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

const node = z.object({
  id: z.string(),
  parent: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  blocks: z.array(messageBlock),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('user') }),
    z.object({ type: z.literal('tool_result'), tool_name: z.string() }),
    z.object({
      type: z.literal('model'),
      provider: z.string(),
      model_name: z.string(),
      parameters: z.record(z.string(), z.unknown()),
    }),
  ]),
  time: z.number(),
  touched: z.number(),
  tool_call_id: z.string().exactOptional(),
  is_error: z.boolean().exactOptional(),
  started_at: z.string().exactOptional(),
  ended_at: z.string().exactOptional(),
  tool: z.enum(['waiting', 'running', 'result', 'error', 'denied', 'interrupted']).exactOptional(),
});

const answer = z.object({
  value: z.object({
    title: z.string().optional(),
    root: z.string(),
    nodes: z.array(node),
    leaf: z.string().optional(),
    replaced: z.boolean(),
    until: z.number(),
  }),
});

/** The conversation that a link shows. Its ids are its own: nothing else of Loom has them. */
export interface SharedCopy {
  readonly title: string | undefined;
  readonly root: string;
  /** The messages, those above before those below. */
  readonly nodes: readonly NodeState[];
  /** The end of the branch that is shown first. */
  readonly leaf: string | undefined;
  /** True if dots stand in the place of secrets. */
  readonly replaced: boolean;
  /** The end of the link, in milliseconds since 1970. */
  readonly until: number;
}

/** Reads the server's answer to a reader. Throws if it is none. */
export function readSharedCopy(value: unknown): SharedCopy {
  const { title, leaf, ...rest } = answer.parse(value).value;
  return { title, leaf, ...rest };
}

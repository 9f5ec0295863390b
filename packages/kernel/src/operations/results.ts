import { z } from 'zod';
import { messageBlock, plainObject } from '@loom/blocks';
import { nodeJson } from '../forest/reading/node-json.ts';
import { sourceInfo } from '../node-metadata.ts';
import { answer, ask, decisionScope, notice, origin, permissionRule, question } from '../op.ts';
import type { RootState } from '../state/root-state.ts';
import { once } from '../once.ts';

/** Results that several operations share. */

const time = z.string().describe('A time, as ISO 8601 in UTC.');
const tags = z.array(z.string()).readonly();

/** A node as files and clients have it, with the facts that are only known while Loom runs. */
export const nodeResult = once(() =>
  z.strictObject({
    id: z.string(),
    root_id: z.string(),
    parent_id: z.string().describe('The conversation itself if this is a first message.'),
    child_ids: z.array(z.string()),
    message: z.strictObject({
      role: z.enum(['user', 'assistant', 'tool']),
      content: z.array(messageBlock),
      tool_call_id: z.string().exactOptional(),
      is_error: z.boolean().exactOptional(),
    }),
    metadata: z.strictObject({
      timestamp: time,
      original_root_id: z.string(),
      source_info: sourceInfo,
      tags: tags.exactOptional(),
      custom_data: plainObject.exactOptional(),
      split_source: z.string().exactOptional(),
      title: z.string().exactOptional(),
      deleted: z.boolean().exactOptional(),
      exclude: z.array(z.string()).readonly().exactOptional(),
      context_start: z.boolean().exactOptional(),
      continues: z.boolean().exactOptional(),
      turn: z.string().exactOptional(),
      started_at: time.exactOptional(),
      ended_at: time.exactOptional(),
      origin: origin.exactOptional(),
      note: plainObject.exactOptional(),
      notice: notice.exactOptional().describe('A program wrote it in the name of a person.'),
      draft: z.literal(true).exactOptional().describe('It is a draft, which belongs to no branch.'),
      format: z.int(),
      seq: z.int(),
    }),
    bookmark: z.string().exactOptional().describe('The title of its bookmark.'),
    tool: z
      .enum(['waiting', 'running', 'result', 'error', 'denied', 'interrupted'])
      .exactOptional()
      .describe('The state of the call that the node answers; waiting needs turn.decide.'),
    ask: ask.exactOptional().describe('The question for a person while the call waits for turn.decide.'),
    decided: z
      .strictObject({
        decision: z.enum(['approved', 'denied', 'answered']),
        by: z.string(),
        at: time,
        text: z.string().exactOptional(),
        scope: decisionScope.exactOptional(),
        rules: z.array(permissionRule).readonly().exactOptional(),
        answers: z.array(answer).readonly().exactOptional(),
        questions: z.array(question).readonly().exactOptional(),
        arguments_changed: z.string().exactOptional(),
      })
      .exactOptional()
      .describe('The decision about the call: which agent made it, when, and what was said with it.'),
  }),
);

/** A node as an answer; nodes that were deleted too, which say so. */
export function nodeAnswer(state: RootState, id: string): z.infer<ReturnType<typeof nodeResult>> | undefined {
  const json = nodeJson(state, id);
  const bookmark = state.bookmarks.get(id);
  const { tool, ask: asked, decided } = state.nodes.get(id) ?? {};
  return (
    json && {
      ...json,
      ...(bookmark === undefined ? {} : { bookmark }),
      ...(tool === undefined ? {} : { tool }),
      ...(asked === undefined ? {} : { ask: asked }),
      ...(decided === undefined ? {} : { decided }),
    }
  );
}

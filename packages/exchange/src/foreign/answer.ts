import type { MessageBlock, PlainObject, ToolBlock } from '@loom/blocks';
import { viewsOfItem, viewsOfToolResult } from '@loom/blocks/views';
import type { ForeignBlock, ForeignNode } from './foreign.ts';

/** The fields of a call that its result needs. */
export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  /** In the form that views want. */
  readonly parameters: unknown;
}

/** The result of a tool call. */
export interface Answer {
  /** The blocks the model saw. */
  readonly blocks: readonly ToolBlock[];
  /** The text of it, for views. */
  readonly text: string | undefined;
  /** The other program's own report of the call. */
  readonly native: PlainObject | undefined;
  readonly state: NonNullable<ForeignNode['tool']>;
}

/**
 * Returns the fields of a result's node: the blocks the model saw, then the views of the work done. `nested` holds the reports of calls within the
 * call.
 */
export function answerFields(
  key: string,
  call: AnsweredCall,
  { blocks, text, native, state }: Answer,
  nested: readonly PlainObject[] = [],
): Pick<ForeignNode, 'blocks' | 'is_error' | 'tool'> {
  const isError = state !== 'result';
  const views = viewsOfToolResult(
    { name: call.name, parameters: call.parameters },
    { ...(text === undefined ? {} : { text }), native, ...(isError ? { is_error: true } : {}) },
  );
  for (const item of nested) views.push(...viewsOfItem(item));
  const shown = views.filter((view) => !blocks.some((block) => isSamePicture(block, view)));
  const seen = shown.map((block, index) => ({ key: `${key}/view-${index}`, block }));
  return { blocks: [...keyedBlocks(key, blocks), ...seen], is_error: isError, tool: state };
}

/** The node of a result. */
export function answerNode(
  place: Pick<ForeignNode, 'conversation' | 'id' | 'parent' | 'started_at' | 'ended_at'>,
  call: AnsweredCall,
  answer: Answer,
): ForeignNode {
  return {
    ...place,
    role: 'tool',
    source: { type: 'tool_result', tool_name: call.name },
    tool_call_id: call.id,
    ...answerFields(place.id, call, answer),
  };
}

/** The blocks of one item: the first has its key, further ones a number. */
export function keyedBlocks(key: string, blocks: readonly MessageBlock[]): ForeignBlock[] {
  return blocks.map((block, index) => ({ key: index === 0 ? key : `${key}#${index}`, block }));
}

/** Attaches another program's report to the first block of the result. */
export function withReport(blocks: readonly ToolBlock[], program: string, report: PlainObject): ToolBlock[] {
  const [first, ...rest] = blocks;
  return first === undefined ? [] : [{ ...first, provider: { ...first.provider, [program]: report } }, ...rest];
}

/** Returns both times of an event without a duration. */
export function timesAt(time: string | undefined): { started_at?: string; ended_at?: string } {
  return time === undefined ? {} : { started_at: time, ended_at: time };
}

function isSamePicture(block: ToolBlock, view: ToolBlock): boolean {
  return block.type === 'image' && view.type === 'image' && block.url === view.url;
}

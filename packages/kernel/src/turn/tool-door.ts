import { z } from 'zod';
import { toolBlock } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { Tool, ToolInvocation, ToolPermission } from '../tool.ts';
import { describeMismatch, describeThrown, disregard } from './misbehaviour.ts';
import { ownFields } from './own-fields.ts';
import type { StopPatience } from './stop-patience.ts';
import { TurnStopped } from './turn-writer.ts';

/** A result as it is kept. */
export interface ToolResult {
  content: MessageBlock[];
  isError: boolean;
}

const permission = z.enum(['run', 'ask', 'question']);

const toolOutcome = z.strictObject({ content: z.array(z.unknown()), is_error: z.boolean().optional() });

/** What a tool says of a call, or why it cannot be asked. */
export function askPermission(
  tool: Tool,
  invocation: ToolInvocation,
): { ok: true; permission: ToolPermission } | { ok: false; message: string } {
  try {
    const answer: unknown = tool.permission(invocation);
    const parsed = permission.safeParse(answer);
    if (parsed.success) return { ok: true, permission: parsed.data };
    disregard(answer);
    return { ok: false, message: `The tool ${tool.name} did not say whether the call may run.` };
  } catch (error) {
    return { ok: false, message: failed(tool, error) };
  }
}

/** Runs a tool. Whatever it throws or answers becomes a result that can be kept; rejects only when the turn is stopped. */
export async function runTool(
  tool: Tool,
  invocation: ToolInvocation,
  patience: StopPatience,
  words: string | undefined,
): Promise<ToolResult> {
  try {
    const run = async (): Promise<unknown> => tool.run(invocation, patience.signal, words);
    return readOutcome(tool, await patience.wait(run()));
  } catch (error) {
    if (error instanceof TurnStopped) throw error;
    return errorResult(failed(tool, error));
  }
}

/** Blocks that can be kept are kept; the model reads what is wrong with the others. */
function readOutcome(tool: Tool, answered: unknown): ToolResult {
  const outcome = toolOutcome.safeParse(answered);
  if (!outcome.success) {
    return errorResult(`The tool ${tool.name} gave no usable result: ${describeMismatch(outcome.error)}`);
  }
  const content: MessageBlock[] = [];
  const problems: string[] = [];
  for (const [index, block] of outcome.data.content.entries()) {
    const parsed = toolBlock.safeParse(block);
    if (parsed.success) content.push(ownFields(parsed.data));
    else problems.push(`block ${index + 1}: ${describeMismatch(parsed.error)}`);
  }
  if (problems.length === 0) return { content, isError: outcome.data.is_error === true };
  const text = `The tool ${tool.name} gave a result that cannot be kept as it is: ${problems.join('; ')}`;
  return { content: [...content, { type: 'text', text }], isError: true };
}

function failed(tool: Tool, error: unknown): string {
  return `The tool ${tool.name} failed: ${describeThrown(error)}`;
}

function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

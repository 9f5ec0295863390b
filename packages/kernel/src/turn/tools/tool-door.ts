import { z } from 'zod';
import { toolBlock } from '@loom/blocks';
import type { MessageBlock, ToolBlock } from '@loom/blocks';
import { approvalMode, permissionRule, question } from '../../op.ts';
import type { ApprovalMode, PermissionRule, Question } from '../../op.ts';
import type { Tool, ToolContext, ToolInvocation, ToolPermission } from '../../tool.ts';
import { describeMismatch, describeThrown } from '../misbehaviour.ts';
import { ownFields } from '../output/own-fields.ts';
import type { StopPatience } from '../stop-patience.ts';
import type { ToolOutputDoor } from './tool-output-door.ts';
import { keepable } from '../output/nesting.ts';
import { TurnStopped } from '../turn-writer.ts';

/** A result as it is kept. */
export interface ToolResult {
  content: MessageBlock[];
  isError: boolean;
}

/** A tool's description of a call, or the reason that it cannot be asked. */
export type Preparation =
  | {
      ok: true;
      permission: ToolPermission;
      preview: ToolBlock[];
      questions?: Question[] | undefined;
      rules?: PermissionRule[] | undefined;
      rule?: PermissionRule | undefined;
      modes?: ApprovalMode[] | undefined;
    }
  | { ok: false; message: string };

const preparedCall = z.strictObject({
  permission: z.enum(['run', 'ask', 'question', 'deny']),
  preview: z.array(toolBlock).optional(),
  questions: z.array(question).min(1).optional(),
  rules: z.array(permissionRule).min(1).optional(),
  rule: permissionRule.optional(),
  modes: z.array(approvalMode).min(1).optional(),
});

const toolOutcome = z.strictObject({ content: z.array(z.unknown()), is_error: z.boolean().optional() });

/** Asks a tool about a call before it runs. Rejects only when the turn is stopped. */
export async function prepareCall(
  tool: Tool,
  invocation: ToolInvocation,
  context: ToolContext,
  patience: StopPatience,
): Promise<Preparation> {
  try {
    const prepare = async (): Promise<unknown> => tool.prepare(invocation, context);
    const parsed = keepable(preparedCall).safeParse(await patience.wait(prepare()));
    if (parsed.success) return { ok: true, ...parsed.data, preview: parsed.data.preview ?? [] };
    const problem = describeMismatch(parsed.error);
    return { ok: false, message: `The tool ${tool.name} did not say whether the call may run: ${problem}` };
  } catch (error) {
    if (error instanceof TurnStopped) throw error;
    return { ok: false, message: failed(tool, error) };
  }
}

/**
 * Runs a tool. Everything that it throws or returns becomes a result that can be kept; rejects only when the turn is
 * stopped.
 */
export async function runTool(
  tool: Tool,
  invocation: ToolInvocation,
  context: ToolContext,
  out: ToolOutputDoor,
  patience: StopPatience,
): Promise<ToolResult> {
  const result = await runToEnd(tool, invocation, context, out, patience);
  await out.close();
  return withOmissions(tool, withProblems(tool, result, out.problems), out.omissions);
}

async function runToEnd(
  tool: Tool,
  invocation: ToolInvocation,
  context: ToolContext,
  out: ToolOutputDoor,
  patience: StopPatience,
): Promise<ToolResult> {
  try {
    const run = async (): Promise<unknown> => tool.run(invocation, context, out);
    return readOutcome(tool, await patience.wait(run()));
  } catch (error) {
    if (error instanceof TurnStopped) throw error;
    return errorResult(failed(tool, error));
  }
}

/** Keeps the valid blocks; the model reads the problems of the others. */
function readOutcome(tool: Tool, answered: unknown): ToolResult {
  const outcome = toolOutcome.safeParse(answered);
  if (!outcome.success) {
    return errorResult(`The tool ${tool.name} gave no usable result: ${describeMismatch(outcome.error)}`);
  }
  const content: MessageBlock[] = [];
  const problems: string[] = [];
  for (const [index, block] of outcome.data.content.entries()) {
    const parsed = keepable(toolBlock).safeParse(block);
    if (parsed.success) content.push(ownFields(parsed.data));
    else problems.push(`block ${index + 1}: ${describeMismatch(parsed.error)}`);
  }
  return withProblems(tool, { content, isError: outcome.data.is_error === true }, problems);
}

function withProblems(tool: Tool, result: ToolResult, problems: readonly string[]): ToolResult {
  if (problems.length === 0) return result;
  const text = `The tool ${tool.name} gave a result that cannot be kept as it is: ${problems.join('; ')}`;
  return { content: [...result.content, { type: 'text', text }], isError: true };
}

function withOmissions(tool: Tool, result: ToolResult, omissions: readonly string[]): ToolResult {
  if (omissions.length === 0) return result;
  const text = `The tool ${tool.name} gave more than can be kept: ${omissions.join('; ')}`;
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

function failed(tool: Tool, error: unknown): string {
  return `The tool ${tool.name} failed: ${describeThrown(error)}`;
}

function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

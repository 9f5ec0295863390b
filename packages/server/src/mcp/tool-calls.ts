import type { CallToolResult } from '@modelcontextprotocol/server';
import { isPlainObject } from '@loom/blocks';
import { patchAnswer, patchAnswerSchema } from '@loom/kernel';
import type { Caller, LoomEngine, Operation, Refusal, Refused } from '@loom/kernel';
import { mcpWords } from './refusal-words.ts';
import { hasPatchForm } from './tools.ts';

type Calls = Pick<LoomEngine, 'call'>;
type Content = CallToolResult['content'];

const patchResult = patchAnswerSchema().pick({ version: true, offsets: true });

/** Calls an operation, and returns its outcome as the result of a tool. */
export async function callTool(
  engine: Calls,
  operation: Operation,
  caller: Caller,
  params: unknown,
): Promise<CallToolResult> {
  const outcome = await engine.call(operation.name, caller, params);
  if (!outcome.ok) return refuseCall(operation, outcome, await presentText(engine, caller, outcome.refusal));
  const { value } = outcome;
  if (hasPatchForm(operation)) return answerWith(patchAnswer({ ok: true, value: patchResult.parse(value) }));
  return answerWith(isPlainObject(value) ? value : { items: value });
}

function answerWith(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** Models see the content of errors, so that they can try again. The data goes beside it: structured content would have to fit the output schema. */
function refuseCall(operation: Operation, refused: Refused, present: Content): CallToolResult {
  const { content, ...said }: CallToolResult = hasPatchForm(operation)
    ? answerWith(patchAnswer(refused))
    : { content: [{ type: 'text', text: mcpWords(refused.refusal) }] };
  return { ...said, isError: true, content: [...content, ...present], _meta: { 'loom/refusal': refused.refusal } };
}

/** The number of lines of a text shown with a refusal; a caller that needs more reads it. */
const mostLines = 200;

/** Returns the present text, if a refusal advises to read it: the caller saves that call, and need not guess. */
async function presentText(engine: Calls, caller: Caller, { next, ...refusal }: Refusal): Promise<Content> {
  if (next?.type !== 'read') return [];
  const whole = await engine.call('block.read', caller, { block_id: next.block });
  if (!whole.ok) return [];
  const { version, line_count: count, content } = whole.value;
  const first = 'start_line' in refusal ? Math.max(0, refusal.start_line - mostLines / 2) : 0;
  const lines = content.split('\n').slice(first, first + mostLines);
  const cut = count > mostLines ? ' Read the rest with block_read.' : '';
  const text = `${next.block} is at version ${version} now and has ${count === 1 ? '1 line' : `${count} lines`}.${cut}\n${lines.join('\n')}`;
  return [{ type: 'text', text }];
}

import type { MessageBlock, ToolBlock, ToolUseBlock } from '@loom/blocks';
import { viewsOfToolCall, viewsOfToolResult } from '@loom/blocks/views';
import type { NodeState } from '@loom/kernel';
import { textOf, typedViews } from './typed-views.ts';

/**
 * Returns the blocks that show a call and its result: the typed blocks of the result, else what can be read out of its text, else the text.
 * Before there is a result, they show what the call is about to do.
 */
export function viewsOf(call: ToolUseBlock, result: NodeState | undefined): readonly (MessageBlock | ToolBlock)[] {
  if (result === undefined || result.blocks.length === 0) return viewsOfToolCall(call);
  const typed = typedViews(result);
  if (typed.length > 0) return typed;
  const views = viewsOfToolResult(call, { text: textOf(result), is_error: result.is_error ?? false });
  return views.length > 0 ? views : result.blocks;
}

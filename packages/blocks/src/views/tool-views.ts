import type { ToolBlock } from '../content-block.ts';
import { fieldIn, textIn } from './foreign.ts';
import { isItem, keepIfFailed, viewsOfItem } from './item.ts';
import { readOutcome } from './outcome.ts';
import { viewOfTool } from './table.ts';
import type { ToolCall, ToolResult } from './view.ts';

/**
 * Shows people who have to permit a call what it is about to do: the command, the diff, the list. Derived from the
 * parameters alone; `[]` where there is nothing to show. Never throws.
 */
export function viewsOfToolCall(call: ToolCall): ToolBlock[] {
  return viewOfTool(textIn(call, 'name') ?? '')?.ofCall(fieldIn(call, 'parameters')) ?? [];
}

/**
 * Structured views of what a call did, to stand beside the exact text of its result. Only for calls that ran: a denied
 * call did nothing that could be shown. `[]` for unknown tools and shapes. Never throws, and never changes its input.
 */
export function viewsOfToolResult(call: ToolCall, result: ToolResult): ToolBlock[] {
  const native = fieldIn(result, 'native');
  const outcome = readOutcome(result);
  // An item reports what happened, regardless of the request.
  const blocks = isItem(native)
    ? viewsOfItem(native)
    : (viewOfTool(textIn(call, 'name') ?? '')?.ofResult(fieldIn(call, 'parameters'), outcome) ?? []);
  return keepIfFailed(blocks, outcome.failed);
}

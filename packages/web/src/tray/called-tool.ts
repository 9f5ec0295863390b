import { isPlainObject } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';
import type { WaitingCall } from './waiting-calls.ts';

/** A call that waits, as the conversation has it. */
export function calledTool({ node, tool, arguments: written }: WaitingCall): ToolUseBlock {
  return { type: 'tool-use', id: node, name: tool, parameters: readParameters(written), arguments: written };
}

function readParameters(written: string): ToolUseBlock['parameters'] {
  try {
    const value: unknown = JSON.parse(written);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

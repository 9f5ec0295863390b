import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

let made = 0;

function nextId(): string {
  made += 1;
  return `components/@demo/${made}`;
}

/** A call that no model made. */
export function madeCall(
  name: string,
  parameters: Record<string, unknown>,
  more: Partial<Pick<ToolUseBlock, 'status' | 'arguments' | 'executed'>> = {},
): ToolUseBlock {
  const id = nextId();
  return { type: 'tool-use', block_id: id, id, name, parameters, status: 'done', ...more };
}

/** Makes the result of a call. */
export function madeResult(blocks: readonly MessageBlock[], more: Partial<NodeState> = {}): NodeState {
  return {
    id: nextId(),
    parent: 'components',
    role: 'tool',
    blocks,
    source: { type: 'tool_result', tool_name: 'made up' },
    time: 0,
    tool: 'result',
    touched: 0,
    ...more,
  };
}

/** A result that took so long. */
export function took(seconds: number): Partial<NodeState> {
  return { started_at: new Date(0).toISOString(), ended_at: new Date(seconds * 1000).toISOString() };
}

export function withId<Block extends MessageBlock>(block: Block): Block {
  return { ...block, block_id: nextId() };
}

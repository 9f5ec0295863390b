import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

/** The state of a call, for its reader. */
export type CallState =
  /** The arguments are still being written. */
  | 'writing'
  /** The call has been written and is queued. */
  | 'queued'
  | 'running'
  /** A person has to decide. */
  | 'waiting'
  | 'done'
  | 'failed'
  | 'denied'
  /** The call may have begun; its effects are unknown. */
  | 'interrupted'
  /** The call was never begun, and will not be. */
  | 'not-run';

/** Returns the state of a call. `isLive`: the turn that it belongs to is running. */
export function callState(call: ToolUseBlock, result: NodeState | undefined, isLive: boolean): CallState {
  if (result === undefined) {
    if (call.status === 'running') return isLive ? 'writing' : 'not-run';
    return isLive ? 'queued' : 'not-run';
  }
  if (result.ask !== undefined) return 'waiting';
  switch (result.tool) {
    case 'waiting':
      return isLive ? 'queued' : 'not-run';
    case 'running':
      return 'running';
    case 'denied':
      return 'denied';
    case 'interrupted':
      return 'interrupted';
    case 'error':
      return isRefusal(result) ? 'denied' : 'failed';
    default:
      return result.is_error === true ? (isRefusal(result) ? 'denied' : 'failed') : 'done';
  }
}

function isRefusal({ is_error, blocks }: NodeState): boolean {
  return is_error === true && blocks.some(({ error }) => error?.code === 'denied');
}

/** Returns true for calls that ended well and say no more than that: they are folded together with their neighbors. */
export function isFoldable(call: ToolUseBlock, result: NodeState | undefined): boolean {
  return result !== undefined && callState(call, result, true) === 'done' && !result.blocks.some(isFailedCommand);
}

/** Some programs report a command that failed as a result like any other. */
function isFailedCommand(block: MessageBlock): boolean {
  return block.type === 'command' && (block.exit_code ?? 0) !== 0;
}

/** Returns the duration of a call, or undefined if that is not known. */
export function callDuration(result: NodeState | undefined): number | undefined {
  const command = result?.blocks.find((block) => block.type === 'command');
  if (command?.duration_ms !== undefined) return command.duration_ms;
  if (result?.started_at === undefined || result.ended_at === undefined) return undefined;
  const milliseconds = Date.parse(result.ended_at) - Date.parse(result.started_at);
  return Number.isFinite(milliseconds) && milliseconds >= 0 ? milliseconds : undefined;
}

import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { Ask, FeedEvent, NodeState } from '@loom/kernel';

/** A call that a person has to decide about. */
export interface PendingCall {
  node: string;
  call: ToolUseBlock;
  ask: Ask;
}

/** The calls of a conversation as its feed tells them, and which of them wait for a person. */
export class CallBook {
  readonly #calls = new Map<string, ToolUseBlock>();
  readonly #pending = new Map<string, PendingCall>();

  /** Calls without a decision, the oldest first. */
  get pending(): PendingCall[] {
    return [...this.#pending.values()];
  }

  /** The call that a tool node answers. */
  callOf(node: NodeState): ToolUseBlock | undefined {
    return this.#calls.get(node.tool_call_id ?? '');
  }

  hear(event: FeedEvent): void {
    if (event.type === 'node-added' || event.type === 'node-changed') this.note(event.node);
    else if (event.type === 'block-added' || event.type === 'block-changed') this.#noteBlock(event.block);
    else if (event.type === 'approval') this.#pending.delete(event.node);
  }

  /** Takes in a node as it is now. */
  note(node: NodeState): void {
    for (const block of node.blocks) this.#noteBlock(block);
    const call = this.callOf(node);
    if (node.tool !== 'waiting' || node.ask === undefined || call === undefined) this.#pending.delete(node.id);
    else this.#pending.set(node.id, { node: node.id, call, ask: node.ask });
  }

  #noteBlock(block: MessageBlock): void {
    if (block.type === 'tool-use') this.#calls.set(block.id, block);
  }
}

/** Returns the arguments as the model wrote them: a decision is bound to these. */
export function exactArguments(call: ToolUseBlock): string {
  return call.arguments ?? JSON.stringify(call.parameters);
}

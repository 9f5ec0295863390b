import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import { askPermission } from '@loom/kernel';
import type { FeedEvent, NodeState, Tool, ToolPermission } from '@loom/kernel';

/** A call that a person has to decide about. */
export interface PendingCall {
  node: string;
  call: ToolUseBlock;
  kind: Exclude<ToolPermission, 'run'>;
}

/** The calls of a conversation as its feed tells them, and which of them wait for a person. */
export class CallBook {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #calls = new Map<string, ToolUseBlock>();
  readonly #pending = new Map<string, PendingCall>();

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

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
    if (node.tool !== 'waiting') {
      this.#pending.delete(node.id);
      return;
    }
    const call = this.callOf(node);
    const kind = call === undefined ? 'run' : this.#permission(call);
    if (call !== undefined && kind !== 'run') this.#pending.set(node.id, { node: node.id, call, kind });
  }

  #noteBlock(block: MessageBlock): void {
    if (block.type === 'tool-use') this.#calls.set(block.id, block);
  }

  #permission(call: ToolUseBlock): ToolPermission {
    const { id, name, parameters } = call;
    const tool = this.#tools.get(name);
    const asked = tool && askPermission(tool, { id, name, parameters, arguments: exactArguments(call) });
    // What is not offered, not understood or fails is answered without asking the person.
    return asked?.ok === true ? asked.permission : 'run';
  }
}

/** The arguments as the model wrote them: what a decision is bound to. */
export function exactArguments(call: ToolUseBlock): string {
  return call.arguments ?? JSON.stringify(call.parameters);
}

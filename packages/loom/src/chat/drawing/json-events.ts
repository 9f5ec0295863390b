import type { MessageBlock } from '@loom/blocks';
import type { Ask, FeedEvent, FinishReason, NodeState, ProviderEvent } from '@loom/kernel';

/** An event that `chat --json` prints: the events of providers, reconstructed from the log, and those around them. */
export type ChatEvent =
  | Exclude<ProviderEvent, { type: 'call-error' }>
  | { type: 'call-error'; error: { code: string; message: string; detail?: unknown } }
  /** A call waits for a person. */
  | { type: 'ask'; message: string; tool_call_id: string; ask: Ask }
  | Extract<FeedEvent, { type: 'turn-started' | 'turn-ended' | 'turn-retrying' | 'tool-started' | 'approval' }>;

/**
 * Words the feed of a conversation as events of providers. Every event is durable already; `key` is the block's id and `message` the
 * node's, so that a reader finds both again. Results of tools are whole blocks of role `tool`.
 */
export class JsonEvents {
  readonly #nodes = new Map<string, NodeState>();
  readonly #open = new Map<string, MessageBlock>();

  /** One feed event in, zero or more events out. */
  step(event: FeedEvent): ChatEvent[] {
    switch (event.type) {
      case 'node-added':
        return this.#addNode(event.node);
      case 'node-changed':
        return this.#changeNode(event.node);
      case 'block-added':
        return this.#addBlock(event.node, event.block);
      case 'block-changed':
        if (this.#open.has(event.block.block_id ?? '')) this.#open.set(event.block.block_id ?? '', event.block);
        return [];
      case 'text-appended': {
        const { block: key, field, text } = event;

        return this.#open.has(key) ? [{ type: 'block-delta', key, field, text }] : [];
      }
      case 'status-changed':
        return this.#changeStatus(event);
      case 'turn-started':
      case 'turn-retrying':
      case 'turn-ended':
      case 'tool-started':
      case 'approval':
        return [event];
      default:
        return [];
    }
  }

  #addNode(node: NodeState): ChatEvent[] {
    this.#nodes.set(node.id, node);
    if (node.role === 'user') return [];
    const start: ChatEvent[] = node.role === 'assistant' ? [{ type: 'call-start' }] : [];
    return [...start, ...node.blocks.flatMap((block) => this.#addBlock(node.id, block))];
  }

  /** Reports the end of a call once its cost and finish reason are known, which a node has only then. */
  #changeNode(node: NodeState): ChatEvent[] {
    const before = this.#nodes.get(node.id);
    this.#nodes.set(node.id, node);
    const { source } = node;
    if (node.role === 'tool') {
      const { ask, tool_call_id = '' } = node;
      if (ask !== undefined && before?.ask === undefined) return [{ type: 'ask', message: node.id, tool_call_id, ask }];
      return isOpen(before) && !isOpen(node) ? this.#tellResult(node) : [];
    }
    if (source.type !== 'model' || source.finish_reason === undefined) return [];
    if (before?.source.type === 'model' && before.source.finish_reason !== undefined) return [];
    const cost: ChatEvent[] = source.usage === undefined ? [] : [{ type: 'usage', usage: source.usage }];
    // A call that failed ends with the error, which follows.
    const reason = finishReason(source.finish_reason);
    return reason === undefined ? cost : [...cost, { type: 'call-end', reason }];
  }

  #addBlock(id: string, block: MessageBlock): ChatEvent[] {
    const node = this.#nodes.get(id);
    const key = block.block_id ?? '';
    if (node === undefined || node.role === 'user') return [];
    if (block.type === 'error' && node.role === 'assistant') {
      const { code, message, detail } = block;
      return [{ type: 'call-error', error: detail === undefined ? { code, message } : { code, message, detail } }];
    }
    // A result is reported whole once it is complete: only then it is known to be an error or not.
    if (isOpen(node)) return [];
    const { role, tool_call_id } = node;
    const place = { message: id, role, ...(tool_call_id === undefined ? {} : { tool_call_id }) };
    if (block.status !== 'running') return [{ type: 'block', ...place, block }];
    this.#open.set(key, block);
    return [{ type: 'block-start', key, ...place, block }];
  }

  #tellResult({ id, blocks, tool_call_id = '', is_error }: NodeState): ChatEvent[] {
    const place = { message: id, role: 'tool' as const, tool_call_id, ...(is_error === undefined ? {} : { is_error }) };
    return blocks.map((block) => ({ type: 'block', ...place, block }));
  }

  #changeStatus({ block: key, status }: Extract<FeedEvent, { type: 'status-changed' }>): ChatEvent[] {
    const block = this.#open.get(key);
    if (block === undefined || status === 'running' || status === 'pending') return [];
    this.#open.delete(key);
    // An interrupted block never ended.
    if (status === 'error') return [];
    // Texts are known from their deltas; a call is reported whole, with its parameters parsed.
    return block.type === 'tool-use' ? [{ type: 'block-end', key, block }] : [{ type: 'block-end', key }];
  }
}

/** Returns true if a call still waits for its result. */
function isOpen(node: NodeState | undefined): boolean {
  return node?.tool === 'waiting' || node?.tool === 'running';
}

function finishReason(reason: string): FinishReason | undefined {
  return reasons.find((known) => known === reason) ?? (reason === 'error' ? undefined : 'other');
}

const reasons: readonly FinishReason[] = ['stop', 'tool-use', 'length', 'refusal', 'other'];

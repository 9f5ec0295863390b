import { interruptedText } from '@loom/blocks';
import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from '../foreign/foreign.ts';

/** The most messages of one conversation that wait for possible additions. */
const mostWaiting = 500;

interface Waiting {
  node: ForeignNode;
  readonly blocks: ForeignBlock[];
}

interface Room {
  readonly waiting: Map<string, Waiting>;
  /** The calls without a result. */
  readonly calls: Map<string, { readonly node: string; readonly name: string }>;
  blocks: number;
  parent: ForeignConversation['parent'];
}

/**
 * Holds messages back until they are final: an answer and the results of its calls until the next message of their conversation. Messages retracted
 * in between are left out; of the rest only names are kept.
 */
export class MessageWindow {
  readonly #source: string;
  readonly #rooms = new Map<string, Room>();

  constructor(source: string) {
    this.#source = source;
  }

  *take(items: readonly ForeignItem[]): Iterable<object> {
    for (const item of items) {
      switch (item.type) {
        case 'conversation':
          this.#room(item.conversation.id).parent ??= item.conversation.parent;
          break;
        case 'node':
          yield* this.#takeNode(item.node);
          break;
        case 'retract':
          yield* this.#retract(item.conversation, item.keys);
          break;
      }
    }
  }

  /** Yields the remaining messages, and a note for each call without a result. */
  *end(): Iterable<object> {
    for (const [conversation, room] of this.#rooms) {
      yield* this.#release(conversation, room);
      for (const [call, { node, name }] of room.calls) yield this.#lackingResult(conversation, room, call, node, name);
      room.calls.clear();
    }
  }

  *#takeNode(node: ForeignNode): Iterable<object> {
    const room = this.#room(node.conversation);
    const known = room.waiting.get(node.id);
    if (known !== undefined) {
      known.blocks.push(...node.blocks);
      known.node = node;
    } else {
      if (node.role !== 'tool' || room.waiting.size >= mostWaiting) yield* this.#release(node.conversation, room);
      room.waiting.set(node.id, { node, blocks: [...node.blocks] });
    }
    for (const { block } of node.blocks)
      if (block.type === 'tool-use') room.calls.set(block.id, { node: node.id, name: block.name });
    if (node.tool_call_id !== undefined) room.calls.delete(node.tool_call_id);
  }

  *#retract(conversation: string, keys: readonly string[]): Iterable<object> {
    const room = this.#room(conversation);
    const gone = new Set(keys);
    let found = 0;
    for (const [id, { blocks }] of room.waiting) {
      const left = blocks.filter(({ key }) => !gone.has(key) && !gone.has(key.replace(/\/view-\d+$/, '')));
      found += blocks.length - left.length;
      for (const { key, block } of blocks) if (gone.has(key) && block.type === 'tool-use') room.calls.delete(block.id);
      blocks.splice(0, blocks.length, ...left);
      if (left.length === 0) room.waiting.delete(id);
    }
    // It was printed already, so the retraction can only be reported.
    if (found === 0) yield { type: 'retracted', conversation, keys };
  }

  *#release(conversation: string, room: Room): Iterable<object> {
    for (const { node, blocks } of room.waiting.values())
      if (blocks.length > 0) yield this.#messageOf(conversation, room, node, blocks);
    room.waiting.clear();
  }

  #messageOf(conversation: string, room: Room, node: ForeignNode, blocks: readonly ForeignBlock[]): object {
    const content = blocks.map(({ key, block }) => ({
      ...block,
      block_id: this.#nextBlock(conversation, room),
      metadata: { ...block.metadata, origin: { source: this.#source, id: key } },
    }));
    return {
      role: node.role,
      content,
      ...(node.tool_call_id === undefined ? {} : { tool_call_id: node.tool_call_id }),
      ...(node.is_error === undefined ? {} : { is_error: node.is_error }),
      id: node.id,
      ...(node.parent === undefined ? {} : { parent: node.parent }),
      conversation,
      ...(room.parent === undefined ? {} : { sent_by: room.parent }),
      source: node.source,
      ...(node.tool === undefined ? {} : { state: node.tool }),
      ...(node.started_at === undefined ? {} : { started_at: node.started_at }),
      ...(node.ended_at === undefined ? {} : { ended_at: node.ended_at }),
      ...(node.title === undefined ? {} : { title: node.title }),
      ...(node.context_start === undefined ? {} : { context_start: node.context_start }),
      ...(node.details === undefined ? {} : { details: node.details }),
    };
  }

  #lackingResult(conversation: string, room: Room, call: string, parent: string, name: string): object {
    return {
      role: 'tool',
      content: [{ type: 'text', text: interruptedText, block_id: this.#nextBlock(conversation, room) }],
      tool_call_id: call,
      is_error: true,
      id: `${parent}/no-result/${call}`,
      parent,
      conversation,
      source: { type: 'tool_result', tool_name: name },
      state: 'interrupted',
      details: { not_in_source: true },
    };
  }

  #nextBlock(conversation: string, room: Room): string {
    room.blocks += 1;
    return `${conversation}/@${this.#source}/${room.blocks}`;
  }

  #room(conversation: string): Room {
    const known = this.#rooms.get(conversation);
    if (known !== undefined) return known;
    const room: Room = { waiting: new Map(), calls: new Map(), blocks: 0, parent: undefined };
    this.#rooms.set(conversation, room);
    return room;
  }
}

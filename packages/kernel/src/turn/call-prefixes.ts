import { blocksShownToModel } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { bareBlock, saysNothing } from '../context/context.ts';
import { pairCallsAndResults } from '../context/pairing.ts';
import type { PathMessage } from '../context/pairing.ts';
import type { PrefixChain, Speaker } from '../context/prefix.ts';
import { messageOf } from '../node-state.ts';
import type { RootOp } from '../op.ts';

/** A block of the call. */
export interface CallBlock {
  readonly id: string;
  /** What it says, as it is stored: the hash is compared with what is read back. */
  block: MessageBlock;
  ended: boolean;
  /** The hash that was written. */
  prefix?: string;
}

interface CallMessage {
  speaker: Speaker;
  blocks: CallBlock[];
}

/**
 * Knows after what the blocks of one provider call were written. What a model is shown of a message depends on the whole
 * message, so its prefixes are computed again with every block that is completed, by the rules of a context.
 */
export class CallPrefixes {
  readonly #provider: string;
  /** What was shown before the messages that are kept here. */
  #chain: PrefixChain;
  readonly #messages = new Map<string, CallMessage>();

  constructor(chain: PrefixChain, provider: string) {
    this.#chain = chain;
    this.#provider = provider;
  }

  add(message: string, speaker: Speaker, block: CallBlock): void {
    const known = this.#messages.get(message);
    if (known === undefined) this.#messages.set(message, { speaker, blocks: [block] });
    else known.blocks.push(block);
  }

  /** The prefixes that are known by now, as far as they differ from what was written. */
  take(): RootOp[] {
    const ops: RootOp[] = [];
    const chain = this.#chain.clone();
    const origins = this.#completeMessages();
    const passed: CallMessage[] = [];
    let isFinal = true;
    for (const item of pairCallsAndResults([...origins.keys()])) {
      const origin = origins.get(item);
      if (item.message.role === 'assistant' && isFinal && passed.length > 0) this.#forget(passed, chain);
      if (origin === undefined || !isComplete(origin)) isFinal = false;
      else passed.push(origin);
      ops.push(...this.#enter(chain, item, origin));
    }
    return ops;
  }

  /** The messages with the blocks that are complete, up to the first block that is not. */
  #completeMessages(): Map<PathMessage, CallMessage> {
    const messages = new Map<PathMessage, CallMessage>();
    for (const origin of this.#messages.values()) {
      const { speaker, blocks } = origin;
      const open = blocks.findIndex(({ ended }) => !ended);
      const complete = blocks.slice(0, open === -1 ? blocks.length : open);
      const message = messageOf(
        speaker,
        complete.map(({ id, block }) => ({ ...block, block_id: id, status: 'done' })),
      );
      if (message !== undefined) messages.set({ message }, origin);
      if (open !== -1) break;
    }
    return messages;
  }

  #enter(chain: PrefixChain, { message }: PathMessage, origin: CallMessage | undefined): RootOp[] {
    if (saysNothing(message)) return [];
    const ops: RootOp[] = [];
    const shown = blocksShownToModel(message);
    for (const block of shown) {
      const written = message.role === 'assistant' && origin?.blocks.find(({ id }) => id === block.block_id);
      if (written && written.prefix !== chain.value) {
        written.prefix = chain.value;
        ops.push({ type: 'status', block: written.id, status: 'done', prefix: chain.value });
      }
      chain.addBlock(message, bareBlock(block, this.#provider));
    }
    if (shown.length === 0 && message.role === 'tool') chain.addEmpty(message);
    return ops;
  }

  /** Nothing that is still to come changes these messages. */
  #forget(messages: CallMessage[], chain: PrefixChain): void {
    this.#chain = chain.clone();
    const forgotten = new Set(messages.splice(0));
    for (const [key, message] of this.#messages) if (forgotten.has(message)) this.#messages.delete(key);
  }
}

function isComplete({ blocks }: CallMessage): boolean {
  return blocks.every(({ ended }) => ended);
}

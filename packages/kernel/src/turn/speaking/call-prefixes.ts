import { blocksShownToModel } from '@loom/blocks';
import type { MessageBlock, ModelBlock } from '@loom/blocks';
import { bareBlock, saysNothing } from '../../context/context.ts';
import { pairCallsAndResults } from '../../context/pairing.ts';
import type { PathMessage } from '../../context/pairing.ts';
import type { PrefixChain, Speaker } from '../../context/prefix.ts';
import { messageOf } from '../../state/node-state.ts';
import type { RootOp } from '../../op.ts';
import type { SaidBlock } from '../output/block-stream.ts';

/** A block of the call. The hash of what it says is compared with what is read back. */
export interface CallBlock extends SaidBlock {
  /** The hash that was written. */
  prefix?: string;
  /** What it was entered into last, as what, and what came of it. */
  entered?: { before: string; block: MessageBlock; after: PrefixChain };
}

interface CallMessage {
  speaker: Speaker;
  /** By their ids, in their order. */
  blocks: Map<string, CallBlock>;
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
    this.#chain = chain.clone();
    this.#provider = provider;
  }

  add(message: string, speaker: Speaker, block: CallBlock): void {
    const known = this.#messages.get(message) ?? { speaker, blocks: new Map<string, CallBlock>() };
    known.blocks.set(block.id, block);
    this.#messages.set(message, known);
  }

  /** A block was taken back. */
  remove(message: string, block: string): void {
    this.#messages.get(message)?.blocks.delete(block);
  }

  /** The prefixes that are known by now, as far as they differ from what was written. */
  take(): RootOp[] {
    const ops: RootOp[] = [];
    let chain = this.#chain;
    const origins = this.#completeMessages();
    const passed: CallMessage[] = [];
    let isFinal = true;
    const items = pairCallsAndResults([...origins.keys()]);
    // Results that nothing of the model's own follows yet are the prefix of nothing.
    const end = items.findLastIndex(({ message }) => message.role === 'assistant') + 1;
    for (const item of items.slice(0, end)) {
      const origin = origins.get(item);
      if (item.message.role === 'assistant' && isFinal && passed.length > 0) this.#forget(passed, chain);
      if (origin === undefined || !isComplete(origin)) isFinal = false;
      else passed.push(origin);
      chain = this.#enter(chain, item, origin, ops);
    }
    return ops;
  }

  /** The messages with the blocks that are complete, up to the first block that is not. */
  #completeMessages(): Map<PathMessage, CallMessage> {
    const messages = new Map<PathMessage, CallMessage>();
    for (const origin of this.#messages.values()) {
      const { speaker } = origin;
      const blocks = [...origin.blocks.values()];
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

  /** The chain behind a message; adds what is to be written of its blocks. */
  #enter(start: PrefixChain, { message }: PathMessage, origin: CallMessage | undefined, ops: RootOp[]): PrefixChain {
    if (saysNothing(message)) return start;
    let chain = start;
    const shown = blocksShownToModel(message);
    for (const block of shown) {
      const written = origin?.blocks.get(block.block_id ?? '');
      if (written !== undefined && message.role === 'assistant' && written.prefix !== chain.value) {
        written.prefix = chain.value;
        ops.push({ type: 'status', block: written.id, status: 'done', prefix: chain.value });
      }
      chain = this.#enterBlock(chain, message, block, written);
    }
    if (shown.length > 0 || message.role !== 'tool') return chain;
    const answered = chain.clone();
    answered.addEmpty(message);
    return answered;
  }

  /** A block behind what it was behind before is not hashed again. */
  #enterBlock(chain: PrefixChain, speaker: Speaker, shown: ModelBlock, written: CallBlock | undefined): PrefixChain {
    const before = chain.value;
    const known = written?.entered;
    if (known !== undefined && known.before === before && known.block === written?.block) return known.after;
    const after = chain.clone();
    after.addBlock(speaker, bareBlock(shown, this.#provider));
    if (written !== undefined) written.entered = { before, block: written.block, after };
    return after;
  }

  /** Nothing that is still to come changes these messages. */
  #forget(messages: CallMessage[], chain: PrefixChain): void {
    this.#chain = chain;
    const forgotten = new Set(messages.splice(0));
    for (const [key, message] of this.#messages) if (forgotten.has(message)) this.#messages.delete(key);
  }
}

function isComplete({ blocks }: CallMessage): boolean {
  return blocks.values().every(({ ended }) => ended);
}

import { blocksShownToModel } from '@loom/blocks';
import type { MessageBlock, ModelBlock } from '@loom/blocks';
import { bareBlock, saysNothing } from '../../context/context.ts';
import { pairCallsAndResults } from '../../context/pairing.ts';
import type { PathMessage } from '../../context/pairing.ts';
import type { PrefixChain, Speaker } from '../../context/prefix.ts';
import { messageOf } from '../../state/node-state.ts';
import type { RootOp } from '../../op.ts';
import type { SaidBlock } from '../output/block-stream.ts';

/** A block of the call. The hash of its content is compared with the one that is read back. */
export interface CallBlock extends SaidBlock {
  /** The hash that was written. */
  prefix?: string;
  /** The last entry: the chain before it, the block as it was entered, and the chain after it. */
  entered?: { before: string; block: MessageBlock; after: PrefixChain };
}

interface CallMessage {
  speaker: Speaker;
  blocks: CallBlock[];
}

/** The part of the model's only message that has been entered. */
interface Progress {
  message: CallMessage;
  /** The beginning of the chain. */
  start: PrefixChain;
  /** The number of its blocks that are entered. */
  entered: number;
  chain: PrefixChain;
  /** True if the message's own text is among its blocks: views are shown only where there is none. */
  hasText: boolean;
  showsViews: boolean;
}

/**
 * Computes the prefixes of the blocks of one provider call, by the rules of a context. The form in which a model is shown a
 * message depends on the whole message; but as long as the model has only one message in the call, a completed block rarely
 * changes what is before it, and is entered behind it. Otherwise the prefixes are computed again.
 */
export class CallPrefixes {
  readonly #provider: string;
  /** The chain before the messages that are kept here. */
  #chain: PrefixChain;
  /** The messages of the call, by their nodes. */
  readonly #messages = new Map<string, CallMessage>();
  /** Messages that are no longer looked at, in the order of the call, with the chain before them. */
  readonly #settled: { chain: PrefixChain; messages: [string, CallMessage][] }[] = [];
  /** The places of the nodes of these messages in that list. */
  readonly #settledAt = new Map<string, number>();
  #progress: Progress | undefined;

  constructor(chain: PrefixChain, provider: string) {
    this.#chain = chain.clone();
    this.#provider = provider;
  }

  /** A block stands at the end of a node. */
  add(node: string, speaker: Speaker, block: CallBlock): void {
    if (this.#settledAt.has(node)) this.#reopen(node);
    const known = this.#messages.get(node) ?? { speaker, blocks: [] };
    known.blocks.push(block);
    this.#messages.set(node, known);
    if (speaker.is_error === true) this.answer(node, speaker);
  }

  /** A call has its result in a node, be it one without a word; that it is an error may become known later. */
  answer(node: string, speaker: Speaker): void {
    if (this.#settledAt.has(node)) {
      if (speaker.is_error !== true) return;
      this.#reopen(node);
    }
    const known = this.#messages.get(node);
    if (known === undefined) this.#messages.set(node, { speaker, blocks: [] });
    else if (speaker.is_error === true && known.speaker.is_error !== true) {
      known.speaker = speaker;
      for (const block of known.blocks) delete block.entered;
    }
  }

  /** A block was taken back. */
  remove(node: string, block: string): void {
    if (this.#settledAt.has(node)) this.#reopen(node);
    const known = this.#messages.get(node);
    if (known !== undefined) known.blocks = known.blocks.filter(({ id }) => id !== block);
    this.#progress = undefined;
  }

  /** Returns the prefixes that are known by now, as far as they differ from the written ones. */
  take(): RootOp[] {
    const own = this.#onlyOwn();
    return own === undefined ? this.#enterAll() : this.#enterMore(own);
  }

  /** Returns the model's own message, if it comes first and is the only one: nothing that is known by now follows a result of its calls. */
  #onlyOwn(): CallMessage | undefined {
    const [first] = this.#messages.values();
    const others = this.#messages.values().drop(1);
    const isOnly = first?.speaker.role === 'assistant' && others.every(({ speaker }) => speaker.role !== 'assistant');
    return isOnly ? first : undefined;
  }

  /** Enters the blocks of a message that have been completed since. */
  #enterMore(message: CallMessage): RootOp[] {
    const { blocks, speaker } = message;
    const known = this.#progress;
    let progress = known?.message === message && known.start === this.#chain ? known : this.#begin(message);
    if (progress.entered === 0 && saysNothingYet(message)) return [];
    const ops: RootOp[] = [];
    for (let written = blocks[progress.entered]; written?.ended === true; written = blocks[progress.entered]) {
      if (isOwnText(written.block) && !progress.hasText) {
        // The views before it are no longer shown.
        if (progress.showsViews) progress = this.#begin(message);
        progress.hasText = true;
        continue;
      }
      progress.entered += 1;
      const alone = messageOf(speaker, [storedBlock(written)]);
      const [shown] = alone === undefined ? [] : blocksShownToModel(alone);
      if (shown === undefined) continue;
      const isView = shown.type !== written.block.type;
      if (isView && progress.hasText) continue;
      progress.showsViews ||= isView;
      progress.chain = this.#enterOne(progress.chain, speaker, shown, isView ? undefined : written, ops);
    }
    return ops;
  }

  #begin(message: CallMessage): Progress {
    const start = this.#chain;
    this.#progress = { message, start, entered: 0, chain: start, hasText: false, showsViews: false };
    return this.#progress;
  }

  #enterAll(): RootOp[] {
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
      if (item.message.role === 'assistant' && isFinal && passed.length > 0) this.#settle(passed, chain);
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
      const message = messageOf(origin.speaker, completeBlocks(origin).map(storedBlock));
      if (message !== undefined) messages.set({ message }, origin);
      if (!isComplete(origin)) break;
    }
    return messages;
  }

  /** Returns the chain behind a message; adds the ops for its blocks. */
  #enter(start: PrefixChain, { message }: PathMessage, origin: CallMessage | undefined, ops: RootOp[]): PrefixChain {
    if (saysNothing(message)) return start;
    let chain = start;
    const shown = blocksShownToModel(message);
    const byId = new Map(origin?.blocks.map((block) => [block.id, block]));
    for (const block of shown) chain = this.#enterOne(chain, message, block, byId.get(block.block_id ?? ''), ops);
    if (shown.length > 0 || message.role !== 'tool') return chain;
    const answered = chain.clone();
    answered.addEmpty(message);
    return answered;
  }

  /** Returns the chain behind a block; adds the ops for it. */
  #enterOne(
    chain: PrefixChain,
    speaker: Speaker,
    shown: ModelBlock,
    written: CallBlock | undefined,
    ops: RootOp[],
  ): PrefixChain {
    if (written !== undefined && speaker.role === 'assistant' && written.prefix !== chain.value) {
      written.prefix = chain.value;
      ops.push({ type: 'status', block: written.id, status: 'done', prefix: chain.value });
    }
    return this.#enterBlock(chain, speaker, shown, written);
  }

  /** Enters a block; one with the same chain before it as last time is not hashed again. */
  #enterBlock(chain: PrefixChain, speaker: Speaker, shown: ModelBlock, written: CallBlock | undefined): PrefixChain {
    const before = chain.value;
    const known = written?.entered;
    if (known !== undefined && known.before === before && known.block === written?.block) return known.after;
    const after = chain.clone();
    after.addBlock(speaker, bareBlock(shown, this.#provider));
    if (written !== undefined) written.entered = { before, block: written.block, after };
    return after;
  }

  /** Settles messages that later events rarely change. */
  #settle(passed: CallMessage[], chain: PrefixChain): void {
    const settled = new Set(passed.splice(0));
    const messages = [...this.#messages].filter(([, message]) => settled.has(message));
    for (const [node] of messages) {
      this.#messages.delete(node);
      this.#settledAt.set(node, this.#settled.length);
    }
    this.#settled.push({ chain: this.#chain, messages });
    this.#chain = chain;
  }

  /**
   * Reopens a message about which something has become known after others were entered behind it: it is entered again, and
   * they are too.
   */
  #reopen(node: string): void {
    const again = this.#settled.splice(this.#settledAt.get(node) ?? this.#settled.length);
    const messages = [...again.flatMap((group) => group.messages), ...this.#messages];
    this.#chain = again[0]?.chain ?? this.#chain;
    this.#messages.clear();
    for (const [id, message] of messages) {
      this.#settledAt.delete(id);
      this.#messages.set(id, message);
    }
  }
}

function isComplete({ blocks }: CallMessage): boolean {
  return blocks.every(({ ended }) => ended);
}

/** The blocks up to the first one that is not complete. */
function completeBlocks({ blocks }: CallMessage): CallBlock[] {
  const open = blocks.findIndex(({ ended }) => !ended);
  return open === -1 ? blocks : blocks.slice(0, open);
}

function storedBlock({ id, block }: CallBlock): MessageBlock {
  return { ...block, block_id: id, status: 'done' };
}

function saysNothingYet(message: CallMessage): boolean {
  const said = messageOf(message.speaker, completeBlocks(message).map(storedBlock));
  return said === undefined || saysNothing(said);
}

function isOwnText({ type, ephemeral }: MessageBlock): boolean {
  return type === 'text' && ephemeral !== true;
}

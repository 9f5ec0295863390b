import type { Message, MessageBlock, ModelBlock } from '@loom/blocks';
import type { Hash } from '../ports.ts';
import type { ToolDescription } from '../provider.ts';

/** The beginning that all requests of a conversation with one model share. */
export interface PrefixHead {
  provider: string;
  model: string;
  systemPrompt?: string;
  tools: readonly ToolDescription[];
}

/** The author of a block. */
export interface Speaker {
  readonly role: Message['role'];
  readonly tool_call_id?: string;
  readonly is_error?: boolean;
}

/**
 * The hash of everything that a model was shown, chained block by block: two requests share a cached prefix exactly as far
 * as their chains agree. The grouping of blocks into messages does not count, so a split and re-joined text is the text that
 * it was.
 */
export class PrefixChain {
  readonly #hash: Hash;
  readonly #provider: string;
  #value: string;
  #beforeLast = '';
  #lastText = '';

  private constructor(hash: Hash, provider: string, value: string) {
    this.#hash = hash;
    this.#provider = provider;
    this.#value = value;
  }

  /** A chain that begins with what every request to a model begins with. */
  static from(hash: Hash, { provider, model, systemPrompt, tools }: PrefixHead): PrefixChain {
    const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    const start = JSON.stringify([provider, model, systemPrompt ?? null, sorted.map(toolForm)]);
    return new PrefixChain(hash, provider, hash.hex(start));
  }

  /** Returns an independent chain that goes on from here. */
  clone(): PrefixChain {
    const clone = new PrefixChain(this.#hash, this.#provider, this.#value);
    clone.#beforeLast = this.#beforeLast;
    clone.#lastText = this.#lastText;
    return clone;
  }

  /** The hash so far. */
  get value(): string {
    return this.#value;
  }

  /** Enters a block. `origin` is the block of the log if it is shown whole: its hash is computed only once. */
  addBlock(speaker: Speaker, block: ModelBlock, origin?: MessageBlock): void {
    const before = this.#value;
    this.#beforeLast = before;
    this.#lastText = block.type === 'text' ? block.text : '';
    const known = origin === undefined ? undefined : entries.get(origin);
    if (known !== undefined && known.before === before && isSameSpeaker(known.speaker, speaker)) {
      this.#value = known.after;
      return;
    }
    this.#add([speaker.role, idOf(speaker), blockForm(block, this.#provider)]);
    if (origin !== undefined) entries.set(origin, { before, speaker, after: this.#value });
  }

  /** The text that was added last goes on without a seam. */
  extendLast(speaker: Speaker, text: string): void {
    this.#value = this.#beforeLast;
    this.addBlock(speaker, { type: 'text', text: this.#lastText + text });
  }

  /** A result without any block says that its call was answered. */
  addEmpty(speaker: Speaker): void {
    this.#add([speaker.role, idOf(speaker)]);
  }

  #add(entry: unknown): void {
    this.#value = this.#hash.hex(`${this.#value}${JSON.stringify(entry)}`);
  }
}

/** The results of entering blocks of a log, which are never altered: a long branch is hashed once, not with every round. */
const entries = new WeakMap<MessageBlock, { before: string; speaker: Speaker; after: string }>();

function isSameSpeaker(one: Speaker, other: Speaker): boolean {
  return one.role === other.role && one.tool_call_id === other.tool_call_id && one.is_error === other.is_error;
}

/** A block as it is shown: its fields in fixed order, and what its own provider gets back. */
function blockForm(block: ModelBlock, provider: string): unknown[] {
  return [block.type, ...fieldsOf(block), providerData(block, provider) ?? null];
}

/** Returns the data that a provider gave along with a block. The provider's name may be any word, `constructor` too. */
export function providerData({ provider }: ModelBlock, name: string): unknown {
  return provider !== undefined && Object.hasOwn(provider, name) ? provider[name] : undefined;
}

function fieldsOf(block: ModelBlock): unknown[] {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return [block.text];
    case 'tool-use':
      // Parameters keep the order in which the model wrote them.
      return [
        block.id,
        block.name,
        block.parameters,
        block.arguments ?? null,
        ...(block.executed === undefined ? [] : [block.executed]),
      ];
    case 'image':
      return [block.media_type, block.blob ?? null, block.url ?? null, block.filename ?? null];
  }
}

function toolForm({ name, description, parameters }: ToolDescription): unknown[] {
  return [name, description, parameters];
}

function idOf({ tool_call_id, is_error }: Speaker): unknown {
  return tool_call_id === undefined ? null : [tool_call_id, is_error === true];
}

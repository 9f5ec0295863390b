import { cleanText, isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { readAnswerBlock } from '../content.ts';
import { listIn, objectIn, textIn } from '../../foreign/fields.ts';
import type { PartFact } from './stream-facts.ts';

/** A block that is being written. It lasts only until the line with the whole block comes. */
export interface ProvisionalBlock {
  /** The answer that it belongs to, and its place there. */
  readonly message: string;
  readonly index: number;
  readonly block: MessageBlock;
}

interface Growing {
  native: PlainObject;
  json: string;
}

/** Assembles blocks from the provider's events, while an answer is being written. */
export class Provisional {
  readonly #messages = new Map<string, Map<number, Growing>>();
  readonly #say: (fact: PartFact) => void;

  /** `say` is told each change. */
  constructor(say: (fact: PartFact) => void = () => {}) {
    this.#say = say;
  }

  /** The answer that began last: events of older versions do not name theirs. */
  get current(): string | undefined {
    return [...this.#messages.keys()].at(-1);
  }

  get blocks(): ProvisionalBlock[] {
    return [...this.#messages].flatMap(([message, blocks]) =>
      [...blocks].map(([index, growing]) => ({ message, index, block: blockOf(growing, `${message}#${index}`) })),
    );
  }

  take(message: string, event: PlainObject): void {
    const index = typeof event.index === 'number' ? event.index : -1;
    switch (event.type) {
      case 'message_start':
        this.#messages.set(message, new Map());
        break;
      case 'content_block_start': {
        const native = objectIn(event.content_block);
        if (native === undefined) break;
        const blocks = this.#messages.get(message) ?? new Map<number, Growing>();
        const growing = { native: { ...native }, json: '' };
        this.#messages.set(message, blocks.set(index, growing));
        this.#say({ type: 'part-started', message, index, block: blockOf(growing, `${message}#${index}`) });
        break;
      }
      case 'content_block_delta': {
        const growing = this.#messages.get(message)?.get(index);
        const delta = objectIn(event.delta);
        if (growing === undefined || delta === undefined) break;
        grow(growing, delta);
        const said = deltaOf(delta);
        if (said !== undefined && said.text !== '') this.#say({ type: 'part-grown', message, index, ...said });
        break;
      }
      case 'message_stop':
        this.#drop(message, 0);
        this.#messages.delete(message);
        break;
      default:
    }
  }

  /** Settles a block that has come whole. Lines do not name it: for a call it is the one with the same id, else the first of its kind. */
  settle(message: string, native: unknown, key: string): void {
    const blocks = this.#messages.get(message);
    if (blocks === undefined || !isPlainObject(native)) return;
    for (const [index, growing] of blocks) {
      const isSame = native.id === undefined ? growing.native.type === native.type : growing.native.id === native.id;
      if (!isSame) continue;
      blocks.delete(index);
      this.#say({ type: 'part-whole', message, index, key });
      return;
    }
  }

  /** Drops the blocks of an answer from that one on. */
  abandon(message: string, from: number): void {
    this.#drop(message, from);
  }

  /** Forgets everything; returns the number of incomplete blocks. */
  clear(): number {
    const count = this.blocks.length;
    for (const message of this.#messages.keys()) this.#drop(message, 0);
    this.#messages.clear();
    return count;
  }

  #drop(message: string, from: number): void {
    const blocks = this.#messages.get(message);
    for (const index of blocks?.keys() ?? []) {
      if (index < from) continue;
      blocks?.delete(index);
      this.#say({ type: 'part-dropped', message, index });
    }
  }
}

/** Returns the text that a delta adds to a block. */
function deltaOf(delta: PlainObject): { field: 'text' | 'arguments'; text: string } | undefined {
  const { type, text, thinking, partial_json: json } = delta;
  if (type === 'text_delta' && typeof text === 'string') return { field: 'text', text };
  if (type === 'thinking_delta' && typeof thinking === 'string') return { field: 'text', text: thinking };
  if (type === 'input_json_delta' && typeof json === 'string') return { field: 'arguments', text: json };
  return undefined;
}

function grow(growing: Growing, delta: PlainObject): void {
  const { native } = growing;
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'string') native[name] = `${textIn(native[name]) ?? ''}${value}`;
  };
  switch (delta.type) {
    case 'text_delta':
      return add('text', delta.text);
    case 'thinking_delta':
      return add('thinking', delta.thinking);
    case 'signature_delta':
      return add('signature', delta.signature);
    case 'input_json_delta':
      if (typeof delta.partial_json === 'string') growing.json += delta.partial_json;
      return;
    case 'citations_delta':
      native.citations = [...listIn(native.citations), delta.citation];
      return;
    default:
  }
}

function blockOf({ native, json }: Growing, key: string): MessageBlock {
  const part = readAnswerBlock(native, key);
  if (part.type === 'result') return { type: 'raw', source: 'claude-code', value: native };
  if (part.type !== 'call' || json === '') return part.block;
  const parameters = parse(json);
  return isPlainObject(parameters) ? { ...part.block, parameters } : { ...part.block, arguments: cleanText(json) };
}

function parse(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return undefined;
  }
}

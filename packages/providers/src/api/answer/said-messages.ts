import { isAssistantBlock, isNonEmpty, withAppended } from '@loom/blocks';
import type { AssistantBlock, Message, StreamedField, ToolBlock } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import type { ProviderEvent } from '@loom/kernel';

type Block = AssistantBlock | ToolBlock;
type EventOf<Type extends ProviderEvent['type']> = Extract<ProviderEvent, { type: Type }>;

interface SaidBlock {
  block: Block;
  /** The text that came since it was opened. */
  field: StreamedField;
  grown: string;
  isEnded: boolean;
}

interface SaidMessage {
  role: 'assistant' | 'tool';
  call: string;
  isError: boolean;
  blocks: SaidBlock[];
}

/** The messages that the events of a call have produced so far. */
export class SaidMessages {
  readonly #messages = new Map<string, SaidMessage>();
  readonly #blocks = new Map<string, SaidBlock>();

  add(event: ProviderEvent): void {
    switch (event.type) {
      case 'block-delta': {
        const said = this.#blocks.get(event.key);
        if (said === undefined) return;
        said.field = event.field;
        said.grown += event.text;
        return;
      }
      case 'block-start':
      case 'block':
        return this.#begin(event);
      case 'block-end':
        return this.#end(event);
      case 'retract':
        return this.#takeBack(event.key);
      default:
    }
  }

  /** The messages. Open blocks are kept as they are, except calls and thoughts. */
  get messages(): Message[] {
    return [...this.#messages.values()].flatMap(toMessage);
  }

  #begin(event: EventOf<'block-start' | 'block'>): void {
    const { message, role, tool_call_id: call = '', block } = event;
    const known = this.#messages.get(message) ?? { role, call, isError: false, blocks: [] };
    this.#messages.set(message, known);
    const isWhole = event.type === 'block';
    if (isWhole && event.is_error === true) known.isError = true;
    const said: SaidBlock = { block, field: 'text', grown: '', isEnded: isWhole };
    known.blocks.push(said);
    if (!isWhole) this.#blocks.set(event.key, said);
  }

  #takeBack(key: string): void {
    const said = this.#blocks.get(key);
    this.#blocks.delete(key);
    for (const message of this.#messages.values()) message.blocks = message.blocks.filter((block) => block !== said);
  }

  #end({ key, block }: EventOf<'block-end'>): void {
    const said = this.#blocks.get(key);
    if (said === undefined) return;
    said.isEnded = true;
    if (block === undefined) return;
    said.block = block;
    said.grown = '';
  }
}

function toMessage({ role, call, isError, blocks }: SaidMessage): Message[] {
  const kept = blocks.filter(({ isEnded, block }) => isEnded || block.type === 'text').map(finished);
  if (role === 'assistant') {
    const content = kept.filter(isAssistantBlock);
    return isNonEmpty(content) ? [{ role, content }] : [];
  }
  const content = kept.filter((block) => block.type !== 'thinking' && block.type !== 'tool-use');
  return [{ role, tool_call_id: call, content, ...(isError ? { is_error: true } : {}) }];
}

function finished({ block, field, grown }: SaidBlock): Block {
  if (grown === '') return block;
  if (block.type === 'tool-use') return { ...block, ...keepToolArguments(grown) };
  const whole = withAppended(block, field, grown);
  return whole.type === block.type ? whole : block;
}

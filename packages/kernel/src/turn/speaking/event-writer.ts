import type { AssistantBlock, PlainObject, ToolBlock, ToolUseBlock } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import type { Usage } from '../../node-metadata.ts';
import type { CallError, FinishReason, ProviderEvent } from '../../provider.ts';

interface OpenBlock {
  block: { type: 'text' | 'thinking' } | Pick<ToolUseBlock, 'type' | 'id' | 'name' | 'executed'>;
  said: string;
  /** Half a character, until the other half comes. */
  held: string;
}

/**
 * Makes the events of one call from the pieces that a vendor streams, and so keeps the rules of providers: blocks open with
 * their first piece and are closed at the end, no piece is empty or cuts a character, arguments and parameters agree, and
 * the reason of the end fits the calls.
 */
export class EventWriter {
  readonly #open = new Map<string, OpenBlock>();
  readonly #name: string;
  #message: string;
  #messages = 1;
  /** True if something was said that the model's next words come behind. */
  #isAnswered = false;
  #openCalls = 0;

  constructor(message = 'answer') {
    this.#name = message;
    this.#message = message;
  }

  /** The call was made. */
  begin(): ProviderEvent {
    return { type: 'call-start' };
  }

  text(key: string, piece: string): ProviderEvent[] {
    return this.#grow(key, { type: 'text' }, piece);
  }

  thinking(key: string, piece: string): ProviderEvent[] {
    return this.#grow(key, { type: 'thinking' }, piece);
  }

  /** A call of a tool begins or goes on: `piece` is a piece of its arguments. */
  call(
    key: string,
    { id, name, executed }: Pick<ToolUseBlock, 'id' | 'name' | 'executed'>,
    piece: string,
  ): ProviderEvent[] {
    const isNew = !this.#open.has(key);
    if (isNew && executed === undefined) this.#openCalls += 1;
    const block = { type: 'tool-use' as const, id, name, ...(executed === undefined ? {} : { executed }) };
    return this.#grow(key, block, piece);
  }

  /** Adds more text to an open block. */
  grow(key: string, piece: string): ProviderEvent[] {
    const open = this.#open.get(key);
    return open === undefined ? [] : this.#grow(key, open.block, piece);
  }

  /** Returns true if an open block has any text. */
  hasGrown(key: string): boolean {
    const open = this.#open.get(key);
    return open !== undefined && (open.said !== '' || open.held !== '');
  }

  /** Reports the result of a call that the provider has run itself. The model's next words are a new message, behind it. */
  result(call: string, block: ToolBlock, isError = false): ProviderEvent {
    this.#isAnswered = true;
    const failed = isError ? { is_error: true } : {};
    return { type: 'block', message: `result of ${call}`, role: 'tool', tool_call_id: call, ...failed, block };
  }

  /** A block is complete; `provider` is what its provider wants back with it. */
  end(key: string, provider?: PlainObject): ProviderEvent[] {
    const open = this.#open.get(key);
    if (open === undefined) return [];
    this.#open.delete(key);
    const rest: ProviderEvent[] = open.held === '' ? [] : [this.#delta(key, open, '\uFFFD')];
    const more = provider === undefined ? {} : { provider };
    const { block } = open;
    if (block.type === 'tool-use') {
      return [...rest, { type: 'block-end', key, block: { ...block, ...keepToolArguments(open.said), ...more } }];
    }
    const ended = provider === undefined ? {} : { block: { ...block, text: open.said, ...more } };
    return [...rest, { type: 'block-end', key, ...ended }];
  }

  /** A whole block at once. */
  whole(block: AssistantBlock): ProviderEvent {
    if (block.type === 'tool-use' && block.executed === undefined) this.#openCalls += 1;
    return { type: 'block', message: this.#nextMessage(), role: 'assistant', block };
  }

  /** Ends the call: closes the open blocks. */
  finish(reason: FinishReason, usage?: Usage): ProviderEvent[] {
    const fitting = reason === 'stop' || reason === 'tool-use' ? (this.#openCalls > 0 ? 'tool-use' : 'stop') : reason;
    return [
      ...[...this.#open.keys()].flatMap((key) => this.end(key)),
      ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
      { type: 'call-end', reason: fitting },
    ];
  }

  /** Fails the call; open blocks stay unfinished. */
  fail(error: CallError): ProviderEvent {
    return { type: 'call-error', error };
  }

  #grow(key: string, block: OpenBlock['block'], piece: string): ProviderEvent[] {
    const known = this.#open.get(key);
    const open = known ?? { block, said: '', held: '' };
    this.#open.set(key, open);
    const opening: ProviderEvent[] = known === undefined ? [this.#start(key, block)] : [];
    const text = open.held + piece;
    const isCut = isHighSurrogate(text.charCodeAt(text.length - 1));
    open.held = isCut ? text.slice(-1) : '';
    const whole = (isCut ? text.slice(0, -1) : text).toWellFormed();
    if (whole === '') return opening;
    const delta = this.#delta(key, open, whole);
    return known === undefined ? [...opening, delta] : [delta];
  }

  #start(key: string, block: OpenBlock['block']): ProviderEvent {
    const begun: AssistantBlock = block.type === 'tool-use' ? { ...block, parameters: {} } : { ...block, text: '' };
    return { type: 'block-start', key, message: this.#nextMessage(), role: 'assistant', block: begun };
  }

  #nextMessage(): string {
    if (this.#isAnswered) {
      this.#messages += 1;
      this.#message = `${this.#name} ${this.#messages}`;
      this.#isAnswered = false;
    }
    return this.#message;
  }

  #delta(key: string, open: OpenBlock, text: string): ProviderEvent {
    open.said += text;
    return { type: 'block-delta', key, field: open.block.type === 'tool-use' ? 'arguments' : 'text', text };
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

import type { Message, RawBlock } from '@loom/blocks';
import { copyAsJson } from './json.ts';
import type { ProviderOptions } from './model-message.ts';
import type { ExchangeNote, TakeNote } from './note.ts';
import { addMark } from './sdk-mark.ts';

/** A conversation in another format, read without loss: a part that no block type fits is kept as `raw`, and `notes` names it. */
export interface ReadConversation {
  systemPrompt?: string;
  /** The fields of the system message beside its text; `toModelMessages` and `toUIMessages` take them back. */
  systemDetails?: SystemDetails;
  messages: Message[];
  notes: ExchangeNote[];
}

/** The fields of the SDK's system message beside its text. */
export interface SystemDetails {
  id?: string;
  metadata?: unknown;
  providerOptions?: ProviderOptions;
}

/** Collects a reader's output: system prompts at the top, messages, notes. */
export class ConversationBuilder {
  readonly messages: Message[] = [];
  readonly #notes: ExchangeNote[] = [];
  readonly #prompts: string[] = [];
  readonly #source: string;
  #details: SystemDetails = {};

  constructor(source: string) {
    this.#source = source;
  }

  readonly take: TakeNote = (note) => {
    this.#notes.push(note);
  };

  /** A system message may become the prompt only while nothing else has been said. */
  get atTop(): boolean {
    return this.messages.length === 0;
  }

  addSystemPrompt(text: string, details: SystemDetails, path: string): void {
    if (this.#prompts.length === 0) this.#details = details;
    else this.take({ reason: 'system-joined', path, message: 'A further system message was joined to the prompt.' });
    this.#prompts.push(text);
  }

  /** Keeps a whole message as one raw block, on the user's side: no model said it in a form that Loom knows. */
  keepWhole(value: unknown, path: string, role: 'user' | 'assistant' = 'user'): void {
    this.take({ reason: 'kept-raw', path, message: 'A message that Loom cannot hold otherwise was kept as raw.' });
    const raw: RawBlock = { type: 'raw', source: this.#source, value: copyAsJson(value) };
    const marked = addMark(raw, { whole: true });
    this.messages.push(role === 'user' ? { role, content: [marked] } : { role, content: [marked] });
  }

  finish(): ReadConversation {
    const conversation = { messages: this.messages, notes: this.#notes };
    if (this.#prompts.length === 0) return conversation;
    const details = Object.keys(this.#details).length === 0 ? {} : { systemDetails: this.#details };
    return { systemPrompt: this.#prompts.join('\n\n'), ...details, ...conversation };
  }
}

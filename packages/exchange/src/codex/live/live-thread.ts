import { isAssistantBlock, isToolBlock } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import type { ForeignConversation, ForeignItem, ForeignNode } from '../../foreign/foreign.ts';
import { textAt } from '../../foreign/fields.ts';
import { addUsage } from '../usage.ts';
import type { Usage } from '../usage.ts';

/** The source of Codex's names. */
const source = 'codex';

/** A piece of a message or a thought that is being written; `part` counts the parts of a thought. */
export interface GrowingWords {
  readonly item: string;
  readonly of: 'text' | 'thinking';
  readonly part: number;
  readonly text: string;
}

/** A piece of the output of a command that runs. */
export interface GrowingOutput {
  readonly call: string;
  readonly command: string;
  readonly text: string;
}

interface OpenBlock {
  readonly message: string;
  readonly type: 'text' | 'thinking' | 'command';
}

/**
 * Turns the items that a reader finds in a thread, as they come, into the events of a provider. Words that are still being written come before their
 * items and are replaced by them: the items say exactly what an import of the thread would say, under the same names.
 */
export class LiveThread {
  readonly #child: string | undefined;
  /** The messages of people that Codex has not recorded yet: the one that is answered, then those that came while it spoke. */
  readonly #prompts: (string | undefined)[] = [];
  readonly #open = new Map<string, OpenBlock>();
  readonly #keys = new Map<string, string[]>();
  readonly #calls = new Map<string, { parameters: PlainObject; isOver: boolean }>();
  /** Calls that Loom has answered as denied. */
  readonly #denied = new Set<string>();
  /** The names of the items that were said whole. */
  readonly #complete = new Set<string>();
  readonly #children = new Set<string>();
  readonly #usage = new Map<string, Usage>();
  /** Agents whose calls have not come. */
  #waiting: ForeignConversation[] = [];
  #lastText: string | undefined;

  /** `child`: the name of the sub-agent that speaks in the thread. */
  constructor(child?: string) {
    this.#child = child;
    this.#prompts.push(undefined);
  }

  /** Notes that a message of a person was handed to Codex while it speaks. */
  steered(id: string): void {
    this.#prompts.push(id);
  }

  /** Takes back that a message was handed to Codex: it came too late. */
  unsteered(id: string): void {
    const index = this.#prompts.indexOf(id);
    if (index !== -1) this.#prompts.splice(index, 1);
  }

  /** Returns true while the words of an item are being written. */
  isOpen(item: string): boolean {
    return this.#open.has(item);
  }

  /** True while words are being written, whatever their item. */
  get isWriting(): boolean {
    return [...this.#open.values()].some(({ type }) => type !== 'command');
  }

  /** Returns true once the words of an item are complete. */
  isComplete(item: string): boolean {
    return this.#complete.has(item);
  }

  /** Notes that Loom has answered a call as denied: Codex's own words about it would say the same again. */
  deny(call: string): void {
    this.#denied.add(call);
  }

  hasCall(call: string): boolean {
    return this.#calls.has(call);
  }

  /** The calls without a result, in their order. */
  get openCalls(): string[] {
    return [...this.#calls].flatMap(([id, { isOver }]) => (isOver ? [] : [id]));
  }

  /** Returns the events of items that a reader has found. */
  take(items: readonly ForeignItem[]): ProviderEvent[] {
    return items.flatMap((item) => {
      switch (item.type) {
        case 'conversation':
          return item.conversation.parent === undefined ? [] : this.#agent(item.conversation);
        case 'retract':
          return [];
        case 'node':
          return this.#node(item.node);
      }
    });
  }

  /** Returns the events of words that are being written. `joins`: the message that they go on with, if it is not a new one. */
  grow({ item, of: type, part, text }: GrowingWords, joins: string | undefined): ProviderEvent[] {
    const key = part === 0 ? item : `${item}#${part}`;
    const known = this.#open.get(key);
    const delta = this.#of({ type: 'block-delta' as const, key, field: 'text' as const, text });
    if (known !== undefined) return text === '' ? [] : [delta];
    const message = joins ?? this.#messageOf(item) ?? item;
    // An item that was complete before its last piece was read.
    if (this.#complete.has(key)) return [];
    this.#open.set(key, { message, type });
    const origin = { source, id: message };
    const start = { type: 'block-start' as const, key, message, role: 'assistant' as const, origin };
    return [
      this.#of({ ...start, block: { type, text: '' } }),
      ...this.#named(message, [key]),
      ...(text === '' ? [] : [delta]),
    ];
  }

  /** Returns the events of a running command's output. */
  output({ call, command, text }: GrowingOutput): ProviderEvent[] {
    if (this.#calls.get(call)?.isOver !== false) return [];
    const key = outputKey(call);
    const delta = this.#of({ type: 'block-delta' as const, key, field: 'stdout' as const, text });
    if (this.#open.has(key)) return [delta];
    this.#open.set(key, { message: resultName(call), type: 'command' });
    return [
      this.#of({ type: 'tool-state', call, state: 'running' }),
      this.#of({
        type: 'block-start',
        key,
        message: resultName(call),
        role: 'tool',
        tool_call_id: call,
        block: { type: 'command', command },
      }),
      delta,
    ];
  }

  /** Returns the event that begins the conversation of a sub-agent; nothing if it has begun, or its call is unknown. */
  child(thread: string, call: string): ProviderEvent[] {
    return this.#agent({ id: thread, parent: { conversation: '', call } });
  }

  /** Closes what is still open when the turn is over. */
  finish(): ProviderEvent[] {
    const keys = [...this.#open.keys()];
    this.#open.clear();
    return keys.map((key) => this.#of({ type: 'block-end', key }));
  }

  #node(node: ForeignNode): ProviderEvent[] {
    if (node.role === 'user') return this.#user(node);
    if (node.role === 'tool') return this.#result(node);
    return [...this.#words(node), ...this.#spent(node)];
  }

  /** A message of a person: it is in Loom already, and gets its name. Codex's own are not Loom's. */
  #user({ id, blocks, details }: ForeignNode): ProviderEvent[] {
    if (details?.['synthetic'] === true || this.#prompts.length === 0) return [];
    const heard = this.#prompts.shift();
    const keys = blocks.map(({ key }) => key);
    const named = { type: 'named' as const, origin: { source, id }, keys };
    if (heard === undefined) return [this.#of(named)];
    return [
      { type: 'heard', id: heard },
      { ...named, heard },
    ];
  }

  #words({ id: message, blocks }: ForeignNode): ProviderEvent[] {
    const events: ProviderEvent[] = [];
    for (const { key, block } of blocks) {
      if (!isAssistantBlock(block)) continue;
      const open = this.#open.get(key);
      this.#open.delete(key);
      this.#complete.add(key);
      if (block.type === 'text') this.#lastText = block.text;
      if (open?.message === message && open.type === block.type) {
        events.push(this.#of({ type: 'block-end', key, block }));
      } else {
        if (open !== undefined) events.push(this.#of({ type: 'retract', key }));
        events.push(this.#of({ type: 'block', message, role: 'assistant', block, origin: { source, id: message } }));
      }
      if (block.type === 'tool-use') this.#calls.set(block.id, { parameters: block.parameters, isOver: false });
    }
    if (blocks.length > 0) {
      events.push(
        ...this.#named(
          message,
          blocks.map(({ key }) => key),
        ),
      );
    }
    if (this.#waiting.length > 0) events.push(...this.#agents());
    return events;
  }

  #result({ id, tool_call_id: call = '', blocks, tool = 'result', is_error: isError }: ForeignNode): ProviderEvent[] {
    const known = this.#calls.get(call);
    if (known === undefined) return this.#strayResult(id, blocks);
    const message = resultName(call);
    const keys = blocks.map(({ key }) => key);
    const name = this.#of({ type: 'named' as const, message, origin: { source, id }, keys });
    const isDenied = this.#denied.has(call);
    const events: ProviderEvent[] = [];
    const key = outputKey(call);
    for (const { block } of isDenied ? [] : blocks) {
      if (!isToolBlock(block)) continue;
      if (block.type === 'command' && this.#open.delete(key)) {
        events.push(this.#of({ type: 'block-end', key, block }));
        continue;
      }
      const failed = isError === true ? { is_error: true } : {};
      events.push(this.#of({ type: 'block', message, role: 'tool', tool_call_id: call, ...failed, block }));
    }
    if (this.#open.delete(key)) events.push(this.#of({ type: 'block-end', key }));
    known.isOver = true;
    const state = this.#of({ type: 'tool-state' as const, call, state: tool });
    // A result without a block has no message that could be named: an import finds it by its call.
    return events.length === 0 ? [state] : [...events, state, name];
  }

  /** A result of a call that was not made in this turn, such as that of a program that a former one has started. */
  #strayResult(message: string, blocks: ForeignNode['blocks']): ProviderEvent[] {
    const origin = { source, id: message };
    const kept = blocks.map(({ block }) =>
      this.#of({ type: 'block', message, role: 'assistant', block: { type: 'raw', source, value: block }, origin }),
    );
    return kept.length === 0
      ? []
      : [
          ...kept,
          ...this.#named(
            message,
            blocks.map(({ key }) => key),
          ),
        ];
  }

  /** The cost of the turn so far: the sum of its calls. */
  #spent({ id, source: told }: ForeignNode): ProviderEvent[] {
    if (told.type !== 'model' || told.usage === undefined || this.#child !== undefined) return [];
    this.#usage.set(id, told.usage);
    let sum: Usage | undefined;
    for (const usage of this.#usage.values()) sum = addUsage(sum, usage);
    if (sum === undefined) return [];
    const { raw: _raw, ...usage } = sum;
    return [{ type: 'usage', usage }];
  }

  #agent(agent: ForeignConversation): ProviderEvent[] {
    this.#waiting.push(agent);
    return this.#agents();
  }

  /** Begins the conversations of sub-agents whose calls are known. */
  #agents(): ProviderEvent[] {
    const here = this.#waiting.filter(({ parent }) => this.#calls.has(parent?.call ?? ''));
    this.#waiting = this.#waiting.filter((agent) => !here.includes(agent));
    return here.flatMap(({ id: child, parent }): ProviderEvent[] => {
      const call = parent?.call ?? '';
      // Agents of agents stay in their own sessions: Loom begins one level of conversations.
      if (this.#children.has(child) || this.#child !== undefined) return [];
      this.#children.add(child);
      const prompt = textAt(this.#calls.get(call)?.parameters, 'message', 'prompt', 'task');
      return [
        { type: 'child', child, call, ...(prompt === undefined ? {} : { prompt }) },
        { type: 'session', source, id: child, child },
      ];
    });
  }

  #named(message: string, keys: string[]): ProviderEvent[] {
    const known = this.#keys.get(message) ?? [];
    const fresh = keys.filter((key) => !known.includes(key));
    this.#keys.set(message, [...known, ...fresh]);
    return fresh.length === 0
      ? []
      : [this.#of({ type: 'named', message, origin: { source, id: message }, keys: fresh })];
  }

  /** Returns the message in which an earlier part of the same thought is open. */
  #messageOf(item: string): string | undefined {
    return this.#open.get(item)?.message;
  }

  /** The text that the model said last. */
  get lastText(): string | undefined {
    return this.#lastText;
  }

  #of<Event extends ProviderEvent>(event: Event): Event {
    return this.#child === undefined ? event : { ...event, child: this.#child };
  }
}

function resultName(call: string): string {
  return `result of ${call}`;
}

function outputKey(call: string): string {
  return `output of ${call}`;
}

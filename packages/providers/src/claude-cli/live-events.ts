import { assistantBlock, programNoticeKind, toolBlock, userBlock } from '@loom/blocks';
import type { AssistantBlock, MessageBlock, PlainObject, ToolBlock, UserBlock } from '@loom/blocks';
import type { PartFact, StreamFact } from '@loom/exchange/claude-code';
import type { ForeignItem, ForeignNode } from '@loom/exchange/foreign';
import type { ProviderEvent, Usage } from '@loom/kernel';
import { LiveParts } from './live-parts.ts';

/** The name of Claude Code in origins and exports. */
export const source = 'claude-code';

/** Returns the cost of a call of a model in US dollars, if its prices are known. */
export type CostOf = (model: string, usage: Usage) => number | undefined;

/** A conversation of the run: the session, or that of a sub-agent, which is the work of a call. */
interface Speaker {
  /** Its name in events; absent for the session itself. */
  child?: string;
  /** True once its first message has its name: that of a sub-agent is the prompt that it was sent out with. */
  isPromptNamed: boolean;
  readonly calls: Map<string, { parameters: PlainObject; isBegun: boolean; isAnswered: boolean }>;
}

/**
 * Says the facts of a run as the events of one call of a provider: the second consumer beside importers. Text comes as it is written; the line that
 * holds a block whole ends it. Pure: a recorded stream is a complete test.
 */
export class LiveEvents {
  readonly #parts = new LiveParts();
  readonly #speakers = new Map<string, Speaker>();
  readonly #main: Speaker = { isPromptNamed: true, calls: new Map() };
  /** The parents of sub-agents, by their conversations. */
  readonly #parents = new Map<string, { conversation: string; call: string }>();
  /** The names of messages in events, by their nodes. */
  readonly #messages = new Map<string, string>();
  readonly #usages = new Map<string, Usage>();
  readonly #costs = new Map<string, number | undefined>();
  /** The last message of the session that the model itself began, with its first name. */
  #last: { message: string; id: string } | undefined;
  /** True for a sub-agent that is heard in a turn of its own, behind the turn in which it was sent out. */
  readonly #isLate: boolean;
  readonly #costOf: CostOf;
  #line: string | undefined;
  #isStopped = false;

  constructor({ isLate = false, costOf }: { isLate?: boolean; costOf?: CostOf | undefined } = {}) {
    this.#isLate = isLate;
    this.#costOf = costOf ?? (() => undefined);
  }

  /** The last line of the session that has a name. */
  get line(): string | undefined {
    return this.#line;
  }

  /** True while an answer is being written. */
  get isWriting(): boolean {
    return this.#parts.isOpen;
  }

  /** From now on only names are said: the turn was stopped. */
  stop(): void {
    this.#isStopped = true;
  }

  take(fact: StreamFact): ProviderEvent[] {
    if (fact.type === 'item') return this.#takeItem(fact.item);
    if (isPart(fact)) return this.#isStopped ? this.#parts.takeSilently(fact) : this.#parts.take(fact);
    return [];
  }

  /** Ends what is still open. */
  finish(): ProviderEvent[] {
    return this.#isStopped ? [] : this.#parts.close();
  }

  /** A call that is not in the session: a sub-agent's question, which a person is asked in the main conversation. */
  ask(block: AssistantBlock, message: string): ProviderEvent[] {
    if (block.type !== 'tool-use') return [];
    this.#main.calls.set(block.id, { parameters: block.parameters, isBegun: true, isAnswered: true });
    return [{ type: 'block', message, role: 'assistant', block }];
  }

  #takeItem(item: ForeignItem): ProviderEvent[] {
    switch (item.type) {
      case 'conversation': {
        const { id, parent } = item.conversation;
        if (parent !== undefined) this.#parents.set(id, parent);
        return [];
      }
      case 'retract':
        return this.#isStopped ? [] : this.#parts.retract(item.keys, this.#speakers.get(item.conversation)?.child);
      case 'node':
        return this.#takeNode(item.node);
    }
  }

  #takeNode(node: ForeignNode): ProviderEvent[] {
    const keys = keysOf(node);
    if (this.#isStopped) return this.#parents.has(node.conversation) ? [] : this.#nameBeside(keys);
    const events: ProviderEvent[] = [];
    const speaker = this.#speakerOf(node, events);
    if (speaker === undefined) return [];
    const own = speaker === this.#main;
    if (node.role === 'assistant') events.push(...this.#takeAnswer(node, speaker));
    else if (node.role === 'tool') events.push(...this.#takeResult(node, speaker));
    else events.push(...this.#takeSaid(node, speaker));
    if (own && keys.length > 0) this.#line = keys.at(-1);
    return events;
  }

  /** Returns the conversation of a message; that of a sub-agent begins with its first one. One whose call is not known here is left to importers. */
  #speakerOf(node: ForeignNode, events: ProviderEvent[]): Speaker | undefined {
    const parent = this.#parents.get(node.conversation);
    if (parent === undefined) return this.#main;
    const known = this.#speakers.get(node.conversation);
    if (known !== undefined) return known;
    const call = this.#parents.has(parent.conversation) ? undefined : this.#main.calls.get(parent.call);
    if (call === undefined || call.isAnswered) return undefined;
    const child = node.conversation;
    const prompt = node.role === 'user' ? wordsOf(node) : call.parameters['prompt'];
    call.isBegun = true;
    return this.#openSpeaker(child, parent.call, prompt, events, node.role !== 'user');
  }

  #takeAnswer(node: ForeignNode, { child, calls }: Speaker): ProviderEvent[] {
    const ofChild = child === undefined ? {} : { child };
    const events: ProviderEvent[] = [];
    for (const { key, block } of node.blocks) {
      // A failure ends the call, which says it; its line is known by the message before it.
      if (block.type === 'error') return [...events, ...this.#nameBeside([key])];
      const message = this.#messages.get(node.id) ?? this.#parts.messageOf(key) ?? node.id;
      this.#messages.set(node.id, message);
      const said = assistantOf(block);
      if (said.type === 'tool-use')
        calls.set(said.id, { parameters: said.parameters, isBegun: false, isAnswered: false });
      const origin = { source, id: node.id };
      const whole = this.#parts.whole(key, said, { message, role: 'assistant', origin, ...ofChild });
      if (child === undefined && this.#last?.message !== message) this.#last = { message, id: node.id };
      const name = named({ message, ...ofChild }, node.id, [key]);
      // A streamed block is named before it ends: a Loom that is killed in between finds it in the session.
      events.push(...(whole[0]?.type === 'block-end' ? [name, ...whole] : [...whole, name]));
    }
    if (node.source.type === 'model' && node.source.usage !== undefined) {
      const { usage, model_name: model } = node.source;
      this.#usages.set(node.id, usage);
      this.#costs.set(node.id, this.#costOf(model, usage));
      events.push({ type: 'usage', usage: this.usage() });
    }
    return events;
  }

  #takeResult(node: ForeignNode, { child, calls }: Speaker): ProviderEvent[] {
    const ofChild = child === undefined ? {} : { child };
    const call = node.tool_call_id ?? '';
    const made = calls.get(call);
    // The result of a call in the turn before: that one has ended it, and what came of it is said as a notice.
    if (made === undefined && this.#isLate) return this.#noticeOf(node, 'late-result');
    // A result of an earlier call of the provider, or a second one.
    if (made === undefined || made.isAnswered) return child === undefined ? this.#nameBeside(keysOf(node)) : [];
    const events: ProviderEvent[] = child === undefined ? this.#beginSentOut(call) : [];
    if (!made.isBegun) events.push({ type: 'tool-state', call, state: 'running', ...ofChild });
    made.isBegun = true;
    made.isAnswered = true;
    for (const { block } of node.blocks) {
      events.push({
        type: 'block',
        message: node.id,
        role: 'tool',
        tool_call_id: call,
        block: toolBlockOf(block),
        ...ofChild,
      });
    }
    events.push({ type: 'tool-state', call, state: node.tool ?? 'result', ...ofChild });
    events.push(
      named(
        { message: node.id, ...ofChild },
        node.id,
        node.blocks.map(({ key }) => key),
      ),
    );
    return events;
  }

  /** A message in a person's name: the prompt of a sub-agent, or one that the program wrote. */
  #takeSaid(node: ForeignNode, speaker: Speaker): ProviderEvent[] {
    const { child } = speaker;
    const ofChild = child === undefined ? {} : { child };
    const keys = keysOf(node);
    if (!speaker.isPromptNamed) {
      speaker.isPromptNamed = true;
      return [named(ofChild, node.id, keys)];
    }
    const words = wordsOf(node);
    const kind = programNoticeKind(words) ?? 'synthetic';
    if (kind === 'interrupted' && child === undefined) return this.#nameBeside(keys);
    return this.#noticeOf(node, kind, child);
  }

  /** A message that a program has written, and its model has read. */
  #noticeOf(node: ForeignNode, kind: string, child?: string): ProviderEvent[] {
    const ofChild = child === undefined ? {} : { child };
    const blocks = node.blocks.flatMap(({ block }) => userBlockOf(block));
    const keys = keysOf(node);
    if (blocks.length === 0) return child === undefined ? this.#nameBeside(keys) : [];
    return [{ type: 'notice', message: node.id, kind, blocks, origin: { source, id: node.id }, keys, ...ofChild }];
  }

  /** Opens the conversations of sub-agents that a call has sent out, before its result: one that goes on in the background has said nothing yet. */
  #beginSentOut(call: string): ProviderEvent[] {
    const events: ProviderEvent[] = [];
    for (const [conversation, parent] of this.#parents)
      if (parent.call === call && !this.#parents.has(parent.conversation) && !this.#speakers.has(conversation))
        this.#openSpeaker(conversation, call, this.#main.calls.get(call)?.parameters['prompt'], events);
    return events;
  }

  #openSpeaker(child: string, call: string, prompt: unknown, events: ProviderEvent[], isPromptNamed = false): Speaker {
    const speaker: Speaker = { child, isPromptNamed, calls: new Map() };
    this.#speakers.set(child, speaker);
    events.push({ type: 'child', child, call, ...(typeof prompt === 'string' ? { prompt } : {}) });
    events.push({ type: 'session', source, id: child, child });
    return speaker;
  }

  /** Lines without a message of their own are known by the message before them, or by the one that is answered. */
  #nameBeside(keys: readonly string[]): ProviderEvent[] {
    if (keys.length === 0) return [];
    this.#line = keys.at(-1);
    return [beside(this.#last, keys)];
  }

  /** The sum of what the answers so far have cost. */
  usage(): Usage {
    const total: Usage = { input_tokens: 0, output_tokens: 0 };
    for (const usage of this.#usages.values()) {
      for (const field of countedFields) {
        const count = usage[field];
        if (count !== undefined) total[field] = (total[field] ?? 0) + count;
      }
    }
    const costs = [...this.#costs.values()];
    const known = costs.filter((cost) => cost !== undefined);
    // A sum that leaves something out would be taken for all of it.
    if (known.length < costs.length || known.length === 0) return total;
    return { ...total, cost_usd: known.reduce((sum, cost) => sum + cost, 0) };
  }
}

const countedFields = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;

function isPart(fact: StreamFact): fact is PartFact {
  return fact.type.startsWith('part-');
}

function keysOf({ blocks }: ForeignNode): string[] {
  return blocks.map(({ key }) => key).filter((key) => !key.includes('/view-'));
}

function named(of: { message?: string; child?: string }, id: string, keys: readonly string[]): ProviderEvent {
  return { type: 'named', ...of, origin: { source, id }, keys };
}

/** Gives a message further names; its first one stays. */
function beside(last: { message: string; id: string } | undefined, keys: readonly string[]): ProviderEvent {
  const [first = ''] = keys;
  return last === undefined ? named({}, first, keys) : named({ message: last.message }, last.id, keys);
}

function wordsOf({ blocks }: ForeignNode): string {
  return blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function assistantOf(block: MessageBlock): AssistantBlock {
  const read = assistantBlock.safeParse(block);
  return read.success ? read.data : { type: 'raw', source, value: block };
}

function toolBlockOf(block: MessageBlock): ToolBlock {
  const read = toolBlock.safeParse(block);
  return read.success ? read.data : { type: 'raw', source, value: block };
}

function userBlockOf(block: MessageBlock): UserBlock[] {
  const read = userBlock.safeParse(block);
  return read.success ? [read.data] : [];
}

import { z } from 'zod';
import {
  assistantBlock,
  cleanObject,
  cleanString,
  isBlank,
  isJson,
  messageBlock,
  toolBlock,
  userBlock,
} from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import { usage } from '../../node-metadata.ts';
import { origin } from '../../op.ts';
import { callErrorCodes } from '../../provider.ts';
import type { ProviderEvent } from '../../provider.ts';
import { describeMismatch, describeThrown } from '../misbehaviour.ts';
import { keepable } from '../output/nesting.ts';
import { ownFields } from '../output/own-fields.ts';
import { isSameBlock, streamedFields } from '../output/streamed-fields.ts';
import { once } from '../../once.ts';

/** The rules of docs/spec/providers.md that events can break so that they cannot be kept. */
export type EventRule = 'PV2' | 'PV3' | 'PV4' | 'PV5' | 'PV6' | 'PV7' | 'PV9' | 'PV17' | 'PV60';

/** An event that cannot be kept, why, and which rule it breaks. */
export class BadEvent extends Error {
  readonly event: unknown;
  readonly rule: EventRule;

  constructor(rule: EventRule, problem: string, event: unknown) {
    super(problem);
    this.rule = rule;
    this.event = event;
  }
}

/** The most that a provider may say in one call, in characters; each event counts as some of them. */
const largestCall = 64 * 1024 * 1024;
const eventSize = 100;

/** Notes are read with every later request. */
const largestNote = 64 * 1024;

/** Each child is a separate conversation. */
const mostChildren = 100;

type BlockEvent = Extract<ProviderEvent, { type: 'block-start' | 'block' }>;
type Problem = { rule: EventRule; problem: string } | undefined;

/** The events of one call, held against what a provider promises: each has its shape and comes in its place. */
export class EventRules {
  readonly #conversation: ConversationRules;
  readonly #children = new Map<string, ConversationRules>();
  #size = 0;
  #note: PlainObject = {};

  constructor(runsTools: boolean) {
    this.#conversation = new ConversationRules(runsTools);
  }

  /** The event as it may be kept; throws a `BadEvent`. */
  take(value: unknown): ProviderEvent {
    const parsed = providerEvent().safeParse(value);
    if (!parsed.success) throw new BadEvent('PV4', describeMismatch(parsed.error), value);
    const event = parsed.data;
    const found = this.#problemOf(event);
    if (found !== undefined) throw new BadEvent(found.rule, found.problem, value);
    return event;
  }

  #problemOf(event: ProviderEvent): Problem {
    this.#size += sizeOf(event);
    if (this.#size > largestCall) return { rule: 'PV4', problem: 'it has said more than 64 MB in one call' };
    if (event.type === 'child') return this.#openChild(event);
    if (event.type === 'call-end') return this.#problemOfEnd();
    if (event.type === 'note')
      return this.#conversation.problemOfName(event.message) ?? this.#problemOfNote(event.data);
    const child = 'child' in event ? event.child : undefined;
    const rules = child === undefined ? this.#conversation : this.#children.get(child);
    return rules === undefined
      ? { rule: 'PV17', problem: `words of the child ${child}, which was not named before` }
      : rules.take(event);
  }

  #openChild({ child, call }: Extract<ProviderEvent, { type: 'child' }>): Problem {
    if (this.#children.has(child)) return { rule: 'PV17', problem: `the child ${child} was named before` };
    if (this.#children.size === mostChildren) {
      return { rule: 'PV17', problem: `more than ${mostChildren} children in one call` };
    }
    if (!this.#conversation.runs(call)) return { rule: 'PV17', problem: `a child of ${call}, which it does not run` };
    this.#conversation.begin(call);
    this.#children.set(child, new ConversationRules(true));
    return undefined;
  }

  #problemOfNote(data: PlainObject): Problem {
    this.#note = { ...this.#note, ...data };
    if (JSON.stringify(this.#note).length <= largestNote) return undefined;
    return { rule: 'PV4', problem: 'the notes of a call must be at most 64 KB as JSON' };
  }

  #problemOfEnd(): Problem {
    const open = [this.#conversation, ...this.#children.values()].flatMap((rules) => rules.openKeys);
    if (open.length === 0) return undefined;
    return { rule: 'PV3', problem: `its call ends while ${open.join(', ')} is open` };
  }
}

/** The rules of one conversation: the answer, or that of a child. */
class ConversationRules {
  readonly #runsTools: boolean;
  readonly #open = new Map<string, BlockEvent>();
  readonly #keys = new Map<string, BlockEvent>();
  /** The role and call of each message, and how many messages of the model's own there were when it began. */
  readonly #messages = new Map<string, { speaker: string; place: number }>();
  #ownMessages = 0;
  /** The ids of calls, and whether the provider runs them itself. */
  readonly #calls = new Map<string, boolean>();
  readonly #unanswered = new Set<string>();
  /** Calls whose state was reported, or whose work is that of another agent. */
  readonly #begun = new Set<string>();

  constructor(runsTools: boolean) {
    this.#runsTools = runsTools;
  }

  get openKeys(): string[] {
    return [...this.#open.keys()];
  }

  begin(call: string): void {
    this.#begun.add(call);
  }

  /** Returns true if the provider runs a call itself. */
  runs(call: string): boolean {
    return this.#calls.get(call) === true;
  }

  /** Returns the problem with naming a message: it must have been begun. */
  problemOfName(message: string | undefined): Problem {
    if (message === undefined || this.#messages.has(message)) return undefined;
    return { rule: 'PV60', problem: `the message ${message} was not begun` };
  }

  /** Returns the problem with an event, if any; a valid one is noted. */
  take(event: ProviderEvent): Problem {
    const problem = this.#problemOf(event);
    if (problem === undefined) this.#note(event);
    return problem;
  }

  #problemOf(event: ProviderEvent): Problem {
    switch (event.type) {
      case 'block-start':
        if (this.#keys.has(event.key)) return { rule: 'PV2', problem: `the key ${event.key} was opened before` };
        return this.#problemOfBlock(event);
      case 'block':
        return this.#problemOfBlock(event);
      case 'block-delta':
        return this.#problemOfDelta(event);
      case 'named':
        return this.problemOfName(event.message);
      case 'notice':
        if (!this.#messages.has(event.message)) return undefined;
        return { rule: 'PV9', problem: `the message ${event.message} changes its role or its call` };
      case 'block-end':
        return this.#problemOfEnd(event);
      case 'retract':
        return this.#problemOfRetraction(event.key);
      case 'tool-state':
        if (this.runs(event.call)) return undefined;
        return { rule: 'PV9', problem: `the state of ${event.call}, which it does not run itself` };
      default:
        return undefined;
    }
  }

  #problemOfBlock({ message, role, tool_call_id: answered = '', block }: BlockEvent): Problem {
    const known = this.#messages.get(message);
    if (known !== undefined && known.speaker !== speaker(role, answered))
      return { rule: 'PV9', problem: `the message ${message} changes its role or its call` };
    // An agent goes on speaking while something that it has begun still runs, and hears of it later.
    const mayBeLate = this.#runsTools && role === 'tool';
    if (known !== undefined && known.place < this.#ownMessages && !mayBeLate)
      return { rule: 'PV9', problem: `more of the message ${message}, behind which another has begun` };
    if (role === 'tool' && !this.#calls.has(answered))
      return { rule: 'PV9', problem: `a result of ${answered}, which it has not called` };
    if (role === 'tool' && !this.runs(answered))
      return { rule: 'PV9', problem: `a result of ${answered}, although it does not run it itself` };
    if (block.type === 'tool-use' && this.#unanswered.has(block.id))
      return { rule: 'PV7', problem: `a second call with the id ${block.id}` };
    return undefined;
  }

  #problemOfDelta({ key, field }: Extract<ProviderEvent, { type: 'block-delta' }>): Problem {
    const open = this.#open.get(key);
    if (open === undefined) return { rule: 'PV2', problem: `a delta for ${key}, which is not open` };
    if (streamedFields(open.block).includes(field)) return undefined;
    return { rule: 'PV5', problem: `a ${open.block.type} block streams no ${field}` };
  }

  #problemOfEnd({ key, block }: Extract<ProviderEvent, { type: 'block-end' }>): Problem {
    const open = this.#open.get(key);
    if (open === undefined) return { rule: 'PV2', problem: `the end of ${key}, which is not open` };
    if (block === undefined) return undefined;
    const read = blocksOf[open.role].safeParse(block);
    if (!read.success) return { rule: 'PV4', problem: describeMismatch(read.error) };
    if (isSameBlock(open.block, block)) return undefined;
    return { rule: 'PV6', problem: `the ${open.block.type} block of ${key} ends as another one` };
  }

  #problemOfRetraction(key: string): Problem {
    const said = this.#keys.get(key);
    if (said === undefined) return { rule: 'PV2', problem: `it takes back ${key}, which it has not said` };
    // An agent may find out after its next message that one before it does not count.
    if (!this.#runsTools && (this.#messages.get(said.message)?.place ?? 0) < this.#ownMessages)
      return { rule: 'PV9', problem: `it takes back ${key}, behind whose message another has begun` };
    if (said.block.type === 'tool-use' && this.#begun.has(said.block.id))
      return { rule: 'PV9', problem: `it takes back the call ${said.block.id}, which has begun` };
    if (said.block.type === 'tool-use' && !this.#unanswered.has(said.block.id))
      return { rule: 'PV9', problem: `it takes back the call ${said.block.id}, which has a result` };
    return undefined;
  }

  #note(event: ProviderEvent): void {
    if (event.type === 'block-end') this.#noteEnd(event);
    // A message said to the model stands behind everything before it.
    if (event.type === 'heard' || event.type === 'notice') this.#ownMessages += 1;
    if (event.type === 'notice') this.#messages.set(event.message, { speaker: 'user', place: this.#ownMessages });
    if (event.type === 'retract') this.#forget(event.key);
    if (event.type === 'tool-state') this.#begun.add(event.call);
    if (event.type === 'block-start' || event.type === 'block') this.#noteBlock(event);
  }

  #noteBlock(event: BlockEvent): void {
    const { message, role, tool_call_id: answered = '', block } = event;
    if (!this.#messages.has(message)) {
      if (role === 'assistant') this.#ownMessages += 1;
      this.#messages.set(message, { speaker: speaker(role, answered), place: this.#ownMessages });
    }
    if (role === 'tool') this.#unanswered.delete(answered);
    if (block.type === 'tool-use') {
      if (this.#runsTools) block.executed = 'provider';
      this.#calls.set(block.id, block.executed === 'provider');
      this.#unanswered.add(block.id);
      this.#begun.delete(block.id);
    }
    if (event.type !== 'block-start') return;
    this.#keys.set(event.key, event);
    this.#open.set(event.key, event);
  }

  #noteEnd({ key, block }: Extract<ProviderEvent, { type: 'block-end' }>): void {
    const begun = this.#open.get(key)?.block;
    if (begun?.type === 'tool-use' && begun.executed !== undefined && block?.type === 'tool-use') {
      block.executed = begun.executed;
    }
    this.#open.delete(key);
  }

  #forget(key: string): void {
    const said = this.#keys.get(key);
    this.#open.delete(key);
    this.#keys.delete(key);
    if (said?.block.type !== 'tool-use') return;
    this.#calls.delete(said.block.id);
    this.#unanswered.delete(said.block.id);
  }
}

const blocksOf = { assistant: assistantBlock, tool: toolBlock };

/** The keys of one message: those of its lines in a transcript. */
const mostKeys = 10_000;

const cleanName = cleanString.refine((text) => !isBlank(text), { error: 'must not be blank' });
const name = z.string().refine((text) => !isBlank(text), { error: 'must not be blank' });

const ofModel = { message: z.string(), role: z.literal('assistant') };
const ofTool = { message: z.string(), role: z.literal('tool'), tool_call_id: name };

const wholeOfModel = assistantBlock.transform((block) => readArguments(ownFields(block)));
const partOfModel = assistantBlock.transform(ownFields);
const blockOfTool = toolBlock.transform(ownFields);

/** The details that a provider reports, as they are read back; in words where no JSON can hold them. */
const detail = z
  .unknown()
  .transform((value): unknown => (isJson(value) ? JSON.parse(JSON.stringify(value)) : describeThrown(value)));

const ofChild = { child: name.exactOptional() };
const blockOfModel = { ...ofModel, origin: origin.exactOptional(), ...ofChild };
const blockOfResult = { ...ofTool, origin: origin.exactOptional(), ...ofChild };

const providerEvent: () => z.ZodType<ProviderEvent> = once(() =>
  keepable(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('call-start') }),
      z.discriminatedUnion('role', [
        z.strictObject({ type: z.literal('block-start'), key: z.string(), ...blockOfModel, block: partOfModel }),
        z.strictObject({ type: z.literal('block-start'), key: z.string(), ...blockOfResult, block: blockOfTool }),
      ]),
      z.strictObject({
        type: z.literal('block-delta'),
        key: z.string(),
        field: z.enum(['text', 'arguments', 'stdout', 'stderr']),
        text: z.string(),
        ...ofChild,
      }),
      z.strictObject({
        type: z.literal('block-end'),
        key: z.string(),
        block: messageBlock.transform((block) => readArguments(ownFields(block))).exactOptional(),
        ...ofChild,
      }),
      z.discriminatedUnion('role', [
        z.strictObject({ type: z.literal('block'), ...blockOfModel, block: wholeOfModel }),
        z.strictObject({
          type: z.literal('block'),
          ...blockOfResult,
          is_error: z.boolean().exactOptional(),
          block: blockOfTool,
        }),
      ]),
      z.strictObject({ type: z.literal('retract'), key: z.string(), ...ofChild }),
      z.strictObject({
        type: z.literal('tool-state'),
        call: name,
        state: z.enum(['running', 'result', 'error', 'denied', 'interrupted']),
        ...ofChild,
      }),
      z.strictObject({ type: z.literal('child'), child: name, call: name, prompt: z.string().exactOptional() }),
      z.strictObject({ type: z.literal('heard'), id: z.string() }),
      z.strictObject({
        type: z.literal('notice'),
        message: z.string(),
        kind: cleanName,
        blocks: z.array(userBlock).min(1),
        origin: origin.exactOptional(),
        keys: z.array(cleanString).max(mostKeys).exactOptional(),
        ...ofChild,
      }),
      z.strictObject({ type: z.literal('note'), data: cleanObject, message: z.string().exactOptional() }),
      z.strictObject({
        type: z.literal('named'),
        message: z.string().exactOptional(),
        heard: z.string().exactOptional(),
        origin,
        keys: z.array(cleanString).max(mostKeys).exactOptional(),
        ...ofChild,
      }),
      z.strictObject({ type: z.literal('session'), source: cleanName, id: cleanName, ...ofChild }),
      z.strictObject({
        type: z.literal('retrying'),
        attempt: z.int().positive(),
        delay_ms: z.number().nonnegative(),
        reason: z.string(),
      }),
      z.strictObject({ type: z.literal('usage'), usage: usage.extend({ raw: detail.exactOptional() }) }),
      z.strictObject({
        type: z.literal('call-end'),
        reason: z.enum(['stop', 'tool-use', 'length', 'refusal', 'other']),
      }),
      z.strictObject({
        type: z.literal('call-error'),
        error: z.strictObject({
          code: z.enum(callErrorCodes),
          message: z.string(),
          retry_after_ms: z.number().nonnegative().exactOptional(),
          final: z.literal(true).exactOptional(),
          detail: detail.exactOptional(),
        }),
      }),
    ]),
  ),
);

/** A call's parameters are what its argument string says. */
function readArguments(block: MessageBlock): MessageBlock {
  if (block.type !== 'tool-use' || block.arguments === undefined) return block;
  const { arguments: spelled, ...rest } = block;
  return { ...rest, ...keepToolArguments(spelled) };
}

function speaker(role: string, answered: string): string {
  return `${role} ${answered}`;
}

function sizeOf(event: ProviderEvent): number {
  switch (event.type) {
    case 'block-delta':
      return eventSize + event.text.length;
    case 'block-start':
    case 'block':
    case 'block-end':
      return eventSize + JSON.stringify(event.block ?? null).length;
    default:
      return eventSize + JSON.stringify(event).length;
  }
}

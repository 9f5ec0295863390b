import { z } from 'zod';
import { assistantBlock, isBlank, isJson, messageBlock, toolBlock } from '@loom/blocks';
import type { MessageBlock, StreamedField } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import { usage } from '../node-metadata.ts';
import type { ProviderEvent } from '../provider.ts';
import { describeMismatch, describeThrown } from './misbehaviour.ts';
import { ownFields } from './own-fields.ts';

/** An event that cannot be kept, and why. */
export class BadEvent extends Error {
  readonly event: unknown;

  constructor(problem: string, event: unknown) {
    super(problem);
    this.event = event;
  }
}

/** How much a provider may say in one call, in characters; each event counts as some of them. */
const largestCall = 64 * 1024 * 1024;
const eventSize = 100;

type BlockEvent = Extract<ProviderEvent, { type: 'block-start' | 'block' }>;

/** The events of one call, held against what a provider promises: each has its shape and comes in its place. */
export class EventRules {
  readonly #runsTools: boolean;
  readonly #open = new Map<string, BlockEvent>();
  readonly #keys = new Set<string>();
  /** The role and call of each message, and how many messages of the model's own there were when it began. */
  readonly #messages = new Map<string, { speaker: string; place: number }>();
  #ownMessages = 0;
  readonly #calls = new Set<string>();
  readonly #unanswered = new Set<string>();
  #size = 0;

  constructor(runsTools: boolean) {
    this.#runsTools = runsTools;
  }

  /** The event as it may be kept; throws a `BadEvent`. */
  take(value: unknown): ProviderEvent {
    const parsed = providerEvent.safeParse(value);
    if (!parsed.success) throw new BadEvent(describeMismatch(parsed.error), value);
    const event = parsed.data;
    const problem = this.#problemOf(event);
    if (problem !== undefined) throw new BadEvent(problem, value);
    this.#note(event);
    return event;
  }

  #problemOf(event: ProviderEvent): string | undefined {
    this.#size += sizeOf(event);
    if (this.#size > largestCall) return 'it has said more than 64 MB in one call';
    switch (event.type) {
      case 'block-start':
        if (this.#keys.has(event.key)) return `the key ${event.key} was opened before`;
        return this.#problemOfBlock(event);
      case 'block':
        return this.#problemOfBlock(event);
      case 'block-delta':
        return this.#problemOfDelta(event);
      case 'block-end':
        return this.#problemOfEnd(event);
      case 'call-end':
        return this.#open.size > 0 ? `its call ends while ${[...this.#open.keys()].join(', ')} is open` : undefined;
      case 'call-start':
      case 'usage':
      case 'call-error':
        return undefined;
    }
  }

  #problemOfBlock({ message, role, tool_call_id: answered = '', block }: BlockEvent): string | undefined {
    const known = this.#messages.get(message);
    if (known !== undefined && known.speaker !== speaker(role, answered))
      return `the message ${message} changes its role or its call`;
    if (known !== undefined && known.place < this.#ownMessages)
      return `more of the message ${message}, behind which another has begun`;
    if (role === 'tool' && !this.#runsTools) return 'a result, although it does not run tools itself';
    if (role === 'tool' && !this.#calls.has(answered)) return `a result of ${answered}, which it has not called`;
    if (block.type === 'tool-use' && this.#unanswered.has(block.id)) return `a second call with the id ${block.id}`;
    return undefined;
  }

  #problemOfDelta({ key, field }: Extract<ProviderEvent, { type: 'block-delta' }>): string | undefined {
    const open = this.#open.get(key);
    if (open === undefined) return `a delta for ${key}, which is not open`;
    return streamedFields(open.block).includes(field) ? undefined : `a ${open.block.type} block streams no ${field}`;
  }

  #problemOfEnd({ key, block }: Extract<ProviderEvent, { type: 'block-end' }>): string | undefined {
    const open = this.#open.get(key);
    if (open === undefined) return `the end of ${key}, which is not open`;
    if (block === undefined) return undefined;
    const read = blocksOf[open.role].safeParse(block);
    if (!read.success) return describeMismatch(read.error);
    const isSame = sameBlock(open.block, block);
    return isSame ? undefined : `the ${open.block.type} block of ${key} ends as another one`;
  }

  #note(event: ProviderEvent): void {
    if (event.type === 'block-end') this.#open.delete(event.key);
    if (event.type !== 'block-start' && event.type !== 'block') return;
    const { message, role, tool_call_id: answered = '', block } = event;
    if (!this.#messages.has(message)) {
      if (role === 'assistant') this.#ownMessages += 1;
      this.#messages.set(message, { speaker: speaker(role, answered), place: this.#ownMessages });
    }
    if (role === 'tool') this.#unanswered.delete(answered);
    if (block.type === 'tool-use') {
      this.#calls.add(block.id);
      this.#unanswered.add(block.id);
    }
    if (event.type !== 'block-start') return;
    this.#keys.add(event.key);
    this.#open.set(event.key, event);
  }
}

const blocksOf = { assistant: assistantBlock, tool: toolBlock };

const name = z.string().refine((text) => !isBlank(text), { error: 'must not be blank' });

const ofModel = { message: z.string(), role: z.literal('assistant') };
const ofTool = { message: z.string(), role: z.literal('tool'), tool_call_id: name };

const wholeOfModel = assistantBlock.transform((block) => readArguments(ownFields(block)));
const partOfModel = assistantBlock.transform(ownFields);
const blockOfTool = toolBlock.transform(ownFields);

/** What a provider reports, as it is read back; in words where no JSON can hold it. */
const detail = z
  .unknown()
  .transform((value): unknown => (isJson(value) ? JSON.parse(JSON.stringify(value)) : describeThrown(value)));

const providerEvent: z.ZodType<ProviderEvent> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call-start') }),
  z.discriminatedUnion('role', [
    z.strictObject({ type: z.literal('block-start'), key: z.string(), ...ofModel, block: partOfModel }),
    z.strictObject({ type: z.literal('block-start'), key: z.string(), ...ofTool, block: blockOfTool }),
  ]),
  z.strictObject({
    type: z.literal('block-delta'),
    key: z.string(),
    field: z.enum(['text', 'arguments', 'stdout', 'stderr']),
    text: z.string(),
  }),
  z.strictObject({
    type: z.literal('block-end'),
    key: z.string(),
    block: messageBlock.transform((block) => readArguments(ownFields(block))).exactOptional(),
  }),
  z.discriminatedUnion('role', [
    z.strictObject({ type: z.literal('block'), ...ofModel, block: wholeOfModel }),
    z.strictObject({ type: z.literal('block'), ...ofTool, is_error: z.boolean().exactOptional(), block: blockOfTool }),
  ]),
  z.strictObject({ type: z.literal('usage'), usage: usage.extend({ raw: detail.exactOptional() }) }),
  z.strictObject({ type: z.literal('call-end'), reason: z.enum(['stop', 'tool-use', 'length', 'refusal', 'other']) }),
  z.strictObject({
    type: z.literal('call-error'),
    error: z.strictObject({ code: z.string(), message: z.string(), detail: detail.exactOptional() }),
  }),
]);

/** A call's parameters are what its argument string says. */
function readArguments(block: MessageBlock): MessageBlock {
  if (block.type !== 'tool-use' || block.arguments === undefined) return block;
  const { arguments: spelled, ...rest } = block;
  return { ...rest, ...keepToolArguments(spelled) };
}

function speaker(role: string, answered: string): string {
  return `${role} ${answered}`;
}

function sameBlock(begun: MessageBlock, ended: MessageBlock): boolean {
  if (begun.type !== 'tool-use' || ended.type !== 'tool-use') return begun.type === ended.type;
  return begun.id === ended.id && begun.name === ended.name;
}

function streamedFields({ type }: MessageBlock): StreamedField[] {
  switch (type) {
    case 'text':
    case 'thinking':
    case 'code':
      return ['text'];
    case 'tool-use':
      return ['arguments'];
    case 'command':
      return ['stdout', 'stderr'];
    default:
      return [];
  }
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
      return eventSize;
  }
}

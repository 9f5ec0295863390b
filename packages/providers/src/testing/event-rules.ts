import { assistantBlock, isAssistantBlock, isPlainObject, stableDeepEqual, toolBlock } from '@loom/blocks';
import type { AssistantBlock, ToolBlock, ToolUseBlock } from '@loom/blocks';
import { usage } from '@loom/kernel';
import type { StreamedField } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';

/** The rules of docs/spec/providers.md that can be held against the events of one call. */
export type EventRule = 'PV1' | 'PV2' | 'PV3' | 'PV4' | 'PV5' | 'PV6' | 'PV7' | 'PV8' | 'PV9' | 'PV10' | 'PV11';

/** Where a call broke a rule. */
export interface Violation {
  rule: EventRule;
  /** Which event, from 0. */
  at: number;
  message: string;
}

/** What was found, and what was said: the finished blocks of the model, in the order of their beginning. */
export interface Inspection {
  violations: Violation[];
  blocks: AssistantBlock[];
}

/** Holds the events of one call against the rules. `runsTools` is what the provider says of itself. */
export function inspectEvents(events: readonly ProviderEvent[], runsTools: boolean): Inspection {
  const inspector = new Inspector(events, runsTools);
  events.forEach((event, at) => inspector.take(event, at));
  return { violations: inspector.violations, blocks: inspector.finishedBlocks() };
}

type Block = AssistantBlock | ToolBlock;

interface Opened {
  block: Block;
  role: 'assistant' | 'tool';
  streamed: Map<StreamedField, string>;
  final: Block | undefined;
}

/** One call on its way past the rules. */
class Inspector {
  readonly violations: Violation[] = [];
  readonly #events: readonly ProviderEvent[];
  readonly #runsTools: boolean;
  readonly #opened = new Map<string, Opened>();
  readonly #order: Opened[] = [];
  readonly #callIds = new Set<string>();
  readonly #roles = new Map<string, string>();
  /** The messages before the model's last one. */
  #complete: ReadonlySet<string> = new Set();
  #usages = 0;
  #at = 0;

  constructor(events: readonly ProviderEvent[], runsTools: boolean) {
    this.#events = events;
    this.#runsTools = runsTools;
    if (events.length === 0) this.#report('PV1', 'nothing was said at all');
  }

  take(event: ProviderEvent, at: number): void {
    this.#at = at;
    this.#checkPlace(event);
    switch (event.type) {
      case 'call-start':
        return;
      case 'block-start':
        return this.#takeStart(event);
      case 'block-delta':
        return this.#takeDelta(event);
      case 'block-end':
        return this.#takeEnd(event);
      case 'block':
        return this.#takeWhole(event);
      case 'usage':
        return this.#takeUsage(event.usage);
      case 'call-end':
        return this.#takeCallEnd(event.reason);
      case 'call-error':
        if (event.error.code === '' || event.error.message === '')
          this.#report('PV1', 'an error needs code and message');
        return;
    }
  }

  finishedBlocks(): AssistantBlock[] {
    return this.#order.flatMap(({ role, final }) =>
      role === 'assistant' && final !== undefined && isAssistantBlock(final) ? [final] : [],
    );
  }

  #report(rule: EventRule, message: string): void {
    this.violations.push({ rule, at: this.#at, message });
  }

  #checkPlace({ type }: ProviderEvent): void {
    const isLast = this.#at === this.#events.length - 1;
    if ((type === 'call-start') !== (this.#at === 0)) this.#report('PV1', `${type} at this place`);
    if ((type === 'call-end' || type === 'call-error') !== isLast) this.#report('PV1', `${type} at this place`);
  }

  #takeStart(event: Extract<ProviderEvent, { type: 'block-start' }>): void {
    if (this.#opened.has(event.key)) this.#report('PV2', `key ${event.key} is opened a second time`);
    this.#checkMessage(event);
    this.#checkBlock(event.role, event.block);
    this.#checkCallId(event.block);
    const opened: Opened = { block: event.block, role: event.role, streamed: new Map(), final: undefined };
    this.#opened.set(event.key, opened);
    this.#order.push(opened);
  }

  #takeDelta({ key, field, text }: Extract<ProviderEvent, { type: 'block-delta' }>): void {
    if (text === '') this.#report('PV5', 'an empty delta');
    if (!text.isWellFormed()) this.#report('PV8', 'half a surrogate pair');
    const opened = this.#opened.get(key);
    if (opened === undefined || opened.final !== undefined) return this.#report('PV2', `key ${key} is not open`);
    if (!fieldsOf(opened.block).includes(field)) this.#report('PV5', `${opened.block.type} has no streamed ${field}`);
    opened.streamed.set(field, (opened.streamed.get(field) ?? '') + text);
  }

  #takeEnd({ key, block }: Extract<ProviderEvent, { type: 'block-end' }>): void {
    const opened = this.#opened.get(key);
    if (opened === undefined || opened.final !== undefined) return this.#report('PV2', `key ${key} is not open`);
    const final = block ?? withDeltas(opened);
    opened.final = final;
    this.#checkBlock(opened.role, final);
    if (opened.block.type === 'tool-use') return this.#checkFinishedCall(opened.block, final, opened);
    if (final.type !== opened.block.type) return this.#report('PV6', `${opened.block.type} ends as ${final.type}`);
    const summed = withDeltas(opened);
    for (const field of fieldsOf(final)) {
      if (fieldOf(final, field) !== fieldOf(summed, field))
        this.#report('PV6', `${field} is not the sum of its deltas`);
    }
  }

  #checkFinishedCall(start: ToolUseBlock, final: Block, { streamed }: Opened): void {
    if (final.type !== 'tool-use' || final.id !== start.id || final.name !== start.name) {
      return this.#report('PV6', 'a call ends as another one');
    }
    const spelled = final.arguments ?? JSON.stringify(final.parameters);
    if (streamed.get('arguments') !== spelled) this.#report('PV7', `the arguments end as ${spelled}`);
    this.#checkArguments(final);
  }

  #takeWhole(event: Extract<ProviderEvent, { type: 'block' }>): void {
    this.#checkMessage(event);
    this.#checkBlock(event.role, event.block);
    this.#checkCallId(event.block);
    if (event.block.type === 'tool-use') this.#checkArguments(event.block);
    if (event.role === 'assistant' && event.is_error !== undefined) this.#report('PV9', 'only results have is_error');
    this.#order.push({ block: event.block, role: event.role, streamed: new Map(), final: event.block });
  }

  #checkMessage({
    message,
    role,
    tool_call_id: answers,
  }: {
    message: string;
    role: string;
    tool_call_id?: string;
  }): void {
    const owner = `${role} ${answers ?? ''}`;
    if ((this.#roles.get(message) ?? owner) !== owner)
      this.#report('PV9', `message ${message} changes its role or call`);
    if (this.#complete.has(message)) this.#report('PV9', `message ${message} goes on behind a later one`);
    if (role === 'assistant' && !this.#roles.has(message)) this.#complete = new Set(this.#roles.keys());
    this.#roles.set(message, owner);
    if (role === 'assistant' && answers !== undefined) this.#report('PV9', 'a model answers no call');
    if (role === 'tool' && !this.#runsTools) this.#report('PV9', 'a result from a provider that runs no tools');
    if (role === 'tool' && !this.#callIds.has(answers ?? '')) this.#report('PV9', 'a result without its call');
  }

  #checkBlock(role: 'assistant' | 'tool', block: Block): void {
    const read = (role === 'assistant' ? assistantBlock : toolBlock).safeParse(block);
    if (!read.success) this.#report('PV4', `no block of a ${role}: ${read.error.message}`);
    else if (!stableDeepEqual(read.data, block)) this.#report('PV4', 'a lone surrogate or NUL in a block');
  }

  #checkCallId(block: Block): void {
    if (block.type !== 'tool-use') return;
    if (this.#callIds.has(block.id)) this.#report('PV7', `call ${block.id} is there twice`);
    this.#callIds.add(block.id);
  }

  #checkArguments({ parameters, arguments: spelled }: ToolUseBlock): void {
    if (spelled === undefined) return;
    if (spelled === JSON.stringify(parameters)) this.#report('PV7', 'arguments is there though it says nothing new');
    if (!stableDeepEqual(readParameters(spelled), parameters)) this.#report('PV7', 'arguments and parameters differ');
  }

  #takeUsage(reported: unknown): void {
    this.#usages += 1;
    if (this.#usages > 1) this.#report('PV11', 'a second usage');
    const read = usage.safeParse(reported);
    if (!read.success) return this.#report('PV11', read.error.message);
    const { raw: _raw, ...numbers } = read.data;
    if (Object.values(numbers).some((value) => !(value >= 0 && value < Number.POSITIVE_INFINITY))) {
      this.#report('PV11', 'a number below 0 or without an end');
    }
  }

  #takeCallEnd(reason: string): void {
    for (const [key, { final }] of this.#opened)
      if (final === undefined) this.#report('PV3', `key ${key} is still open`);
    const hasCalls = !this.#runsTools && this.#callIds.size > 0;
    if (reason === 'tool-use' && !hasCalls) this.#report('PV10', 'tool-use without a call to run');
    if (reason === 'stop' && hasCalls) this.#report('PV10', 'stop though there are calls to run');
  }
}

function fieldsOf(block: Block): StreamedField[] {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return ['text'];
    case 'tool-use':
      return ['arguments'];
    case 'command':
      return ['stdout', 'stderr'];
    default:
      return [];
  }
}

/** The block as it was opened, with everything that came since. */
function withDeltas({ block, streamed }: Opened): Block {
  const whole = { ...block };
  for (const [field, text] of streamed) Reflect.set(whole, field, fieldOf(block, field) + text);
  return whole;
}

function fieldOf(block: Block, field: StreamedField): string {
  const value: unknown = Reflect.get(block, field);
  return typeof value === 'string' ? value : '';
}

function readParameters(spelled: string): unknown {
  try {
    const value: unknown = JSON.parse(spelled);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

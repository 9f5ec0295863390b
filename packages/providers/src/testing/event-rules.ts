import { copyJson, isAssistantBlock, isPlainObject, stableDeepEqual, withAppended } from '@loom/blocks';
import type { AssistantBlock, StreamedField, ToolBlock, ToolUseBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { BadEvent, EventRules } from '@loom/kernel/testing';
import type { EventRule } from '@loom/kernel/testing';

/** The rules of docs/spec/providers.md that can be checked on the events of one call. */
export type ContractRule = EventRule | 'PV1' | 'PV8' | 'PV10' | 'PV11';

/** A place where a call broke a rule. */
export interface Violation {
  rule: ContractRule;
  /** The index of the event, from 0. */
  at: number;
  message: string;
}

/** The violations, and the finished blocks of the model, in the order of their beginning. */
export interface Inspection {
  violations: Violation[];
  blocks: AssistantBlock[];
}

/**
 * Checks the events of one call against the rules: those of the kernel's validation, which refuses events that cannot be kept, and those that it
 * forgives. `runsTools` is the provider's own claim.
 */
export function inspectEvents(events: readonly ProviderEvent[], runsTools: boolean): Inspection {
  const inspector = new Inspector(events, runsTools);
  events.forEach((event, at) => inspector.take(event, at));
  return { violations: inspector.violations, blocks: inspector.finishedBlocks() };
}

type Block = AssistantBlock | ToolBlock;

interface Opened {
  key: string;
  block: Block;
  /** The block with all its deltas. */
  summed: Block;
  spelled: string;
  final: Block | undefined;
}

/** Checks one call against the rules. */
class Inspector {
  readonly violations: Violation[] = [];
  readonly #events: readonly ProviderEvent[];
  readonly #door: EventRules;
  /** The model's own blocks, in their order, without those of agents that it started. */
  readonly #said: Opened[] = [];
  readonly #opened = new Map<string, Opened>();
  readonly #callIds = new Set<string>();
  #openCalls = 0;
  #output = 0;
  #isBroken = false;
  #at = 0;

  constructor(events: readonly ProviderEvent[], runsTools: boolean) {
    this.#events = events;
    this.#door = new EventRules(runsTools);
    if (events.length === 0) this.#report('PV1', 'nothing was said at all');
  }

  take(event: ProviderEvent, at: number): void {
    this.#at = at;
    this.#checkPlace(event);
    // Events after one that cannot be kept are not heard.
    const kept = this.#isBroken ? undefined : this.#passDoor(event);
    if (kept === undefined) return;
    switch (event.type) {
      case 'block-start':
      case 'block':
        return this.#takeBlock(event, kept);
      case 'block-delta':
        return this.#takeDelta(event);
      case 'block-end':
        return this.#takeEnd(event);
      case 'retract':
        return this.#takeRetraction(keyOf(event));
      case 'usage':
        return this.#takeUsage(event);
      case 'call-end':
        if (event.reason === 'tool-use' && this.#openCalls === 0)
          this.#report('PV10', 'tool-use without a call to run');
        if (event.reason === 'stop' && this.#openCalls > 0) this.#report('PV10', 'stop though there are calls to run');
        return;
      case 'call-error':
        if (event.error.message === '') this.#report('PV1', 'an error needs a message');
        return;
      default:
        return;
    }
  }

  finishedBlocks(): AssistantBlock[] {
    return this.#said.flatMap(({ final }) => (final !== undefined && isAssistantBlock(final) ? [final] : []));
  }

  #report(rule: ContractRule, message: string): void {
    this.violations.push({ rule, at: this.#at, message });
  }

  #passDoor(event: ProviderEvent): ProviderEvent | undefined {
    try {
      return this.#door.take(structuredClone(event));
    } catch (error) {
      if (!(error instanceof BadEvent)) throw error;
      this.#report(error.rule, error.message);
      this.#isBroken = true;
      return undefined;
    }
  }

  #checkPlace({ type }: ProviderEvent): void {
    const isLast = this.#at === this.#events.length - 1;
    if ((type === 'call-start') !== (this.#at === 0)) this.#report('PV1', `${type} at this place`);
    if ((type === 'call-end' || type === 'call-error') !== isLast) this.#report('PV1', `${type} at this place`);
  }

  #takeBlock(event: Extract<ProviderEvent, { type: 'block-start' | 'block' }>, kept: ProviderEvent): void {
    const { block } = event;
    this.#checkKept(block, 'block' in kept ? kept.block : undefined);
    if (block.type === 'tool-use') {
      if (this.#callIds.has(block.id)) this.#report('PV7', `the call ${block.id} is there twice`);
      this.#callIds.add(block.id);
      const isOurs = 'block' in kept && kept.block?.type === 'tool-use' && kept.block.executed === undefined;
      if (isOurs && event.child === undefined) this.#openCalls += 1;
    }
    const isWhole = event.type === 'block';
    const key = isWhole ? '' : keyOf(event);
    const opened: Opened = { key, block, summed: block, spelled: '', final: isWhole ? block : undefined };
    if (event.role === 'assistant' && event.child === undefined) this.#said.push(opened);
    if (!isWhole) this.#opened.set(key, opened);
  }

  /** Checks that parsing a block by its schema changes only the fields that the kernel adds. */
  #checkKept(given: Block, kept: object | undefined): void {
    if (kept === undefined) return;
    const { executed: _executed, ...same } = { executed: undefined, ...kept };
    const { executed: _given, ...before } = { executed: undefined, ...given };
    if (given.type === 'tool-use' && given.arguments !== undefined) return;
    if (!stableDeepEqual(before, same)) this.#report('PV4', 'reading the block changes it');
  }

  #takeDelta(event: Extract<ProviderEvent, { type: 'block-delta' }>): void {
    const { field, text } = event;
    if (text === '') this.#report('PV5', 'an empty delta');
    if (!text.isWellFormed()) this.#report('PV8', 'half a surrogate pair');
    const opened = this.#opened.get(keyOf(event));
    if (opened === undefined) return;
    if (field === 'arguments') opened.spelled += text;
    else opened.summed = grow(opened.summed, field, text);
  }

  #takeEnd(event: Extract<ProviderEvent, { type: 'block-end' }>): void {
    const opened = this.#opened.get(keyOf(event));
    if (opened === undefined) return;
    const final = event.block ?? endOf(opened);
    opened.final = final;
    if (final.type === 'tool-use') return this.#checkFinishedCall(final, opened.spelled);
    for (const field of ['text', 'stdout', 'stderr', 'content']) {
      if (Reflect.get(final, field) !== undefined && Reflect.get(final, field) !== Reflect.get(opened.summed, field)) {
        this.#report('PV6', `${field} is not the sum of its deltas`);
      }
    }
  }

  #checkFinishedCall(final: ToolUseBlock, streamed: string): void {
    const spelled = final.arguments ?? JSON.stringify(final.parameters);
    if (streamed !== spelled) this.#report('PV7', `the arguments end as ${spelled}`);
    if (final.arguments === JSON.stringify(final.parameters)) this.#report('PV7', 'arguments repeat the parameters');
    const said = readParameters(spelled);
    if (!stableDeepEqual(said, final.parameters)) this.#report('PV7', 'arguments and parameters differ');
  }

  #takeRetraction(key: string): void {
    const taken = this.#opened.get(key);
    const place = this.#said.findIndex((said) => said === taken);
    if (place !== -1) this.#said.splice(place, 1);
    this.#opened.delete(key);
    if (taken?.block.type === 'tool-use') this.#callIds.delete(taken.block.id);
    if (taken?.block.type === 'tool-use' && taken.block.executed === undefined) this.#openCalls -= 1;
  }

  #takeUsage({
    usage: { raw: _raw, estimated: _estimated, ...numbers },
  }: Extract<ProviderEvent, { type: 'usage' }>): void {
    if (Object.values(numbers).some((value) => !(value >= 0 && value < Number.POSITIVE_INFINITY))) {
      this.#report('PV11', 'a number below 0 or without an end');
    }
    if (numbers.output_tokens < this.#output) this.#report('PV11', 'less output than was reported before');
    this.#output = numbers.output_tokens;
  }
}

function keyOf({ key, child = '' }: { key: string; child?: string }): string {
  return `${child} ${key}`;
}

function grow(block: Block, field: StreamedField, text: string): Block {
  const grown = withAppended(block, field, text);
  return grown.type === block.type ? grown : block;
}

function endOf({ summed, spelled }: Opened): Block {
  if (summed.type !== 'tool-use') return summed;
  const parameters = readParameters(spelled);
  return { ...summed, parameters, ...(spelled === JSON.stringify(parameters) ? {} : { arguments: spelled }) };
}

function readParameters(spelled: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(spelled);
    return isPlainObject(value) && copyJson(value).ok ? value : {};
  } catch {
    return {};
  }
}

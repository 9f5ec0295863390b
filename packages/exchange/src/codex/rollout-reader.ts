import { createHash } from 'node:crypto';
import type { PlainObject } from '@loom/blocks';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignConversation, ForeignItem, LineReader } from '../foreign/foreign.ts';
import { numberAt, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import { firstObjects, readCountedLine } from '../foreign/line-reading.ts';
import { Outbox } from '../foreign/outbox.ts';
import { baseOf, describeThread, threadOf, threadOfName } from './session-meta.ts';
import type { RolloutBase } from './session-meta.ts';
import { RolloutThread } from './rollout-thread.ts';

/** Facts about a rollout from outside its lines. */
export interface RolloutFacts {
  /** The name of its file, which names the thread if no line does. */
  readonly name?: string;
  /** The beginning of this thread, if it continues another one: `placeAt` of that one's reader. */
  readonly base?: RolloutPlace;
  /** The number of lines after the first that are copies of the history above that place. */
  readonly copied?: number;
}

/** A place in a conversation; without a node it is its beginning. */
export interface RolloutPlace {
  readonly conversation: string;
  readonly node?: string;
}

/** Reads the lines of a Codex session file. A `.zst` file has to be decompressed before. */
export interface RolloutReader extends LineReader {
  /** The thread that this one continues, known after its first line. Its file should be read first, and the result of `placeAt` passed as `base`. */
  readonly requires: RolloutBase | undefined;
  /** Returns the place where a thread that continues this one from an ordinal goes on. */
  placeAt(ordinal: number): RolloutPlace | undefined;
  /** The message that the model's next item would be a part of, if it is not a new one. */
  readonly speaking: string | undefined;
}

export function createRolloutReader(facts: RolloutFacts = {}): RolloutReader {
  return new Reader(facts);
}

/** Returns the thread that a rollout continues, by its beginning. */
export function rolloutBase(beginning: string): RolloutBase | undefined {
  const meta = firstObjects(beginning).find((object) => object.type === 'session_meta');
  const payload = objectAt(meta, 'payload');
  return payload === undefined ? undefined : baseOf(payload);
}

class Reader implements RolloutReader {
  readonly tally = new Tally();
  readonly #facts: RolloutFacts;
  readonly #outbox = new Outbox();
  #conversation: ForeignConversation | undefined;
  #thread: RolloutThread | undefined;
  #requires: RolloutBase | undefined;
  #line = 0;
  #firstLine = '';
  /** The time of the first line that has one: used for the conversation if it has none. */
  #firstTime: string | undefined;

  constructor(facts: RolloutFacts) {
    this.#facts = facts;
  }

  get requires(): RolloutBase | undefined {
    return this.#requires;
  }

  get speaking(): string | undefined {
    return this.#thread?.speaking;
  }

  push(line: string): void {
    this.#line += 1;
    if (this.#firstLine === '' && line.startsWith('{')) this.#firstLine = line;
    const { copied = 0 } = this.#facts;
    if (this.#line > 1 && this.#line <= copied + 1) return this.tally.used();
    readCountedLine(line, this.tally, (object) => this.#read(object));
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    this.#thread?.end();
  }

  placeAt(ordinal: number): RolloutPlace | undefined {
    if (this.#conversation === undefined) return undefined;
    // Copied lines belong to the other thread, which alone knows the places in it.
    if (this.#facts.copied !== undefined && ordinal < this.#facts.copied + 2) return undefined;
    const node = this.#thread?.nodeBefore(ordinal) ?? this.#facts.base?.node;
    return { conversation: this.#conversation.id, ...(node === undefined ? {} : { node }) };
  }

  /** Reads one object; returns its kind if that is unknown. */
  #read(line: PlainObject): string | undefined {
    const type = textAt(line, 'type');
    const payload = objectAt(line, 'payload');
    const ordinal = numberAt(line, 'ordinal') ?? this.#line;
    const time = timeOf(line.timestamp);
    this.#firstTime ??= time;
    if (payload === undefined) return this.#readBare(type, line, ordinal, time);
    switch (type) {
      case 'session_meta':
        return this.#meet(payload);
      case 'response_item':
        return this.#open().item(payload, ordinal, time);
      case 'event_msg':
        return this.#readEvent(payload, ordinal, time);
      case 'turn_context':
        this.#open().setModel(payload);
        return undefined;
      case 'compacted':
        return this.#open().compacted(payload, ordinal, time);
      case 'token_usage_record':
        this.#open().usageRecord(payload);
        return undefined;
      case 'world_state':
      case 'inter_agent_communication_metadata':
        return undefined;
      default:
        return type ?? 'line without a type';
    }
  }

  /** Reads a line of the versions before the envelope, or an unknown one. */
  #readBare(
    type: string | undefined,
    line: PlainObject,
    ordinal: number,
    time: string | undefined,
  ): string | undefined {
    if (line.record_type !== undefined) return undefined;
    if (type === undefined && line.instructions !== undefined) return this.#meet(line);
    return this.#open().item(line, ordinal, time);
  }

  #readEvent(payload: PlainObject, ordinal: number, time: string | undefined): string | undefined {
    if (payload.type !== 'thread_name_updated') return this.#open().event(payload, ordinal, time);
    this.#open();
    const title = textAt(payload, 'thread_name');
    if (this.#conversation !== undefined && title !== undefined && title !== '') this.#describe({ title });
    return undefined;
  }

  /** The first `session_meta` names the conversation; others are copies from threads that it was forked from, and fill in missing facts. */
  #meet(meta: PlainObject): undefined {
    if (this.#conversation !== undefined) {
      this.#describe({ ...describeThread(meta), ...withoutId(this.#conversation) });
      return;
    }
    const thread = threadOf(meta) ?? this.#threadWithoutMeta();
    const base = baseOf(meta);
    this.#requires = base;
    this.#begin(thread, describeThread(meta));
    if (base !== undefined && this.#facts.base === undefined) {
      this.tally.remark('The thread that this one was forked from is not there; it stands alone.');
    }
  }

  #open(): RolloutThread {
    return this.#thread ?? this.#begin(this.#threadWithoutMeta(), {});
  }

  #begin(thread: string, told: Omit<ForeignConversation, 'id'>): RolloutThread {
    const base = this.#facts.base;
    const conversation: ForeignConversation =
      base === undefined
        ? { id: thread, ...(this.#firstTime === undefined ? {} : { created_at: this.#firstTime }), ...told }
        : { id: base.conversation, aliases: [thread] };
    this.#conversation = conversation;
    this.#outbox.conversation(conversation);
    const opened = new RolloutThread({
      outbox: this.#outbox,
      tally: this.tally,
      thread,
      conversation: conversation.id,
      tip: base?.node,
    });
    this.#thread = opened;
    return opened;
  }

  #describe(told: Partial<ForeignConversation>): void {
    if (this.#conversation === undefined) return;
    const grown = { ...this.#conversation, ...told };
    if (JSON.stringify(grown) === JSON.stringify(this.#conversation)) return;
    this.#conversation = grown;
    this.#outbox.conversation(grown);
  }

  /** Without a `session_meta` the file's name gives the thread, or else its first line. */
  #threadWithoutMeta(): string {
    const named = threadOfName(this.#facts.name ?? '');
    return named ?? `line-${createHash('sha256').update(this.#firstLine).digest('hex').slice(0, 32)}`;
  }
}

function withoutId({ id: _id, ...rest }: ForeignConversation): Omit<ForeignConversation, 'id'> {
  return rest;
}

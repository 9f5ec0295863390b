import { interruptedText } from '@loom/blocks';
import type { MessageBlock, PlainObject, ToolUseBlock } from '@loom/blocks';
import { answerFields, keyedBlocks, timesAt } from '../foreign/answer.ts';
import type { Answer, AnsweredCall } from '../foreign/answer.ts';
import type { ForeignBlock, ForeignNode } from '../foreign/foreign.ts';
import { knownFields } from '../foreign/fields.ts';
import type { Outbox } from '../foreign/outbox.ts';
import { addUsage } from './usage.ts';
import type { ModelSource, Usage } from './usage.ts';

/** The place of something in a file, and its name. */
export interface Place {
  /** Its id in the source, or a name made of its place. */
  readonly key: string;
  /** Its number in the thread, or its line. */
  readonly ordinal: number;
  readonly time: string | undefined;
}

/** The fields of a user node, written by the user or by the program, beside its blocks. */
export interface UserNotes {
  readonly details?: PlainObject | undefined;
  readonly context_start?: true;
  readonly aside?: boolean;
}

type Speaker = Pick<ForeignNode, 'id' | 'parent' | 'started_at'> & { source: ModelSource };

/** Lays the items of a thread out as a chain of nodes: each model answer is one node, each result another. */
export class ThreadWriter {
  readonly #outbox: Outbox;
  readonly #conversation: string;
  readonly #keys = new Set<string>();
  /** The calls without a result, by their ids in the file: an id may be used again. */
  readonly #calls = new Map<string, AnsweredCall[]>();
  readonly #callCount = new Map<string, number>();
  /** Abandoned calls, whose results may still come. */
  readonly #givenUp = new Map<string, { call: AnsweredCall; node: ForeignNode }>();
  /** The ordinals at which nodes begin, for threads that continue this one. */
  readonly #starts: { ordinal: number; node: string }[] = [];
  /** The node above each user message, for turns that are taken back. */
  readonly #aboveUsers: (string | undefined)[] = [];
  #tip: string | undefined;
  #speaker: Speaker | undefined;
  #isSpeaking = false;
  #usageToCome: Usage | undefined;
  model = '';

  constructor(outbox: Outbox, conversation: string, tip: string | undefined) {
    this.#outbox = outbox;
    this.#conversation = conversation;
    this.#tip = tip;
  }

  /** The answer that is still open. */
  get speaking(): string | undefined {
    return this.#isSpeaking ? this.#speaker?.id : undefined;
  }

  /** The last node that had begun before that ordinal. */
  nodeBefore(ordinal: number): string | undefined {
    return this.#starts.findLast((start) => start.ordinal < ordinal)?.node;
  }

  /** Adds blocks of the model, to its open node until something else comes. */
  speak(place: Place, blocks: readonly MessageBlock[]): void {
    if (blocks.length === 0) return;
    const key = this.#claim(place);
    let speaker = this.#speaker;
    if (speaker === undefined || !this.#isSpeaking) {
      const source: ModelSource = { type: 'model', provider: 'openai', model_name: this.model, parameters: {} };
      if (this.#usageToCome !== undefined) source.usage = this.#usageToCome;
      this.#usageToCome = undefined;
      speaker = this.#begin(place, key, source);
      this.#speaker = speaker;
      this.#isSpeaking = true;
    }
    this.#emitSpeaker(speaker, keyedBlocks(key, blocks), place.time);
  }

  /** Adds a model's tool call. Its result comes later, under the id that the source gave the call. */
  call(place: Place, given: ToolUseBlock, parameters: unknown): void {
    const count = (this.#callCount.get(given.id) ?? 0) + 1;
    this.#callCount.set(given.id, count);
    const id = count === 1 ? given.id : `${given.id}#${count}`;
    this.speak(place, [{ ...given, id }]);
    const waiting = this.#calls.get(given.id) ?? [];
    this.#calls.set(given.id, [...waiting, { id, name: given.name, parameters }]);
  }

  /** The name of a call that waits for its result. */
  callNamed(id: string): string | undefined {
    return this.#calls.get(id)?.[0]?.name;
  }

  hasCall(id: string): boolean {
    return this.#calls.has(id);
  }

  /** Writes the result of a call; without a call, of an unknown one. */
  result(place: Place, callId: string, result: Answer, nested: readonly PlainObject[] = []): void {
    this.#isSpeaking = false;
    const call = this.#take(callId);
    const late = call === undefined ? this.#givenUp.get(callId) : undefined;
    if (late === undefined) {
      this.answer(place, call ?? { id: callId, name: 'unknown', parameters: {} }, result, nested);
      return;
    }
    this.#givenUp.delete(callId);
    // Its node may have the name that the result would have had.
    const key = late.node.id === place.key ? place.key : this.#claim(place);
    const answered = answerFields(key, late.call, result, nested);
    this.#emit({ ...late.node, ...answered });
  }

  /** Writes a result without ending the answer: calls that the provider runs are part of it. */
  answer(place: Place, call: AnsweredCall, result: Answer, nested: readonly PlainObject[] = []): void {
    const key = this.#claim(place);
    this.#emit({ ...this.#resultNode(key, call, place), ...answerFields(key, call, result, nested) });
    this.#moveTo(key, place);
  }

  #resultNode(id: string, call: AnsweredCall, place: Place): ForeignNode {
    return {
      conversation: this.#conversation,
      id,
      ...this.#above(),
      role: 'tool',
      blocks: [],
      source: { type: 'tool_result', tool_name: call.name },
      tool_call_id: call.id,
      ...timesAt(place.time),
    };
  }

  /** Adds a message of the user, or of the program in the user's place. */
  user(place: Place, blocks: readonly MessageBlock[], { details, context_start, aside }: UserNotes): void {
    if (blocks.length === 0) return;
    const key = this.#claim(place);
    this.#isSpeaking = false;
    if (details?.synthetic !== true) this.#aboveUsers.push(this.#tip);
    this.#emit({
      conversation: this.#conversation,
      id: key,
      ...this.#above(),
      role: 'user',
      blocks: keyedBlocks(key, blocks),
      source: { type: 'user' },
      ...timesAt(place.time),
      ...(details === undefined ? {} : { details }),
      ...(context_start === undefined ? {} : { context_start }),
      ...(aside === true ? { aside } : {}),
    });
    this.#moveTo(key, place);
  }

  /** Adds the usage of a model call: to the answer above if it has none yet, else to the next. */
  usage(usage: Usage): void {
    const speaker = this.#speaker;
    if (speaker === undefined || (speaker.source.usage !== undefined && !this.#isSpeaking)) {
      this.#usageToCome = addUsage(this.#usageToCome, usage);
    } else this.#addUsage(speaker, usage);
  }

  /** Ends the model's answer. */
  endAnswer(): void {
    this.#isSpeaking = false;
  }

  /** Ends the turn. Calls without a result get one that gives the reason. */
  endTurn(place: Place, reason: string | undefined): void {
    this.giveUpCalls(place);
    this.#isSpeaking = false;
    const speaker = this.#speaker;
    if (speaker !== undefined && this.#usageToCome !== undefined) {
      this.#addUsage(speaker, this.#usageToCome);
      this.#usageToCome = undefined;
    }
    if (speaker !== undefined && reason !== undefined) {
      this.#emit({ ...this.#speakerNode(speaker, []), details: { ended: reason } });
    }
    this.#speaker = undefined;
  }

  /** Gives calls without a result one that says so; a real one that comes later joins it. */
  giveUpCalls(place: Place): void {
    for (const [callId, waiting] of this.#calls) {
      for (const call of waiting) {
        const result: Answer = { blocks: [], text: undefined, native: undefined, state: 'interrupted' };
        const id = this.#claim({ ...place, key: `${call.id}/result` });
        const key = `${id}/interrupted`;
        const answered = answerFields(key, call, result, []);
        const text: ForeignBlock = { key, block: { type: 'text', text: interruptedText } };
        const node: ForeignNode = {
          ...this.#resultNode(id, call, place),
          ...answered,
          blocks: [text, ...answered.blocks],
        };
        this.#emit(node);
        this.#moveTo(id, place);
        this.#givenUp.set(callId, { call, node });
      }
    }
    this.#calls.clear();
  }

  /** Takes back the last turns: the next message hangs where the first of them did. */
  takeBack(turns: number): void {
    if (turns <= 0 || this.#aboveUsers.length === 0) return;
    const first = Math.max(0, this.#aboveUsers.length - turns);
    this.#tip = this.#aboveUsers[first];
    this.#aboveUsers.length = first;
    this.#speaker = undefined;
    this.#isSpeaking = false;
  }

  /** The number of calls without a result so far. */
  get openCalls(): number {
    let count = 0;
    for (const waiting of this.#calls.values()) count += waiting.length;
    return count;
  }

  #begin(place: Place, id: string, source: ModelSource): Speaker {
    const speaker: Speaker = {
      id,
      ...this.#above(),
      source,
      ...(place.time === undefined ? {} : { started_at: place.time }),
    };
    this.#moveTo(id, place);
    return speaker;
  }

  #addUsage(speaker: Speaker, usage: Usage): void {
    speaker.source = { ...speaker.source, usage: addUsage(speaker.source.usage, usage) };
    this.#emit(this.#speakerNode(speaker, []));
  }

  #emitSpeaker(speaker: Speaker, blocks: ForeignBlock[], time: string | undefined): void {
    this.#emit({ ...this.#speakerNode(speaker, blocks), ...(time === undefined ? {} : { ended_at: time }) });
  }

  #speakerNode(speaker: Speaker, blocks: ForeignBlock[]): ForeignNode {
    return { conversation: this.#conversation, role: 'assistant', ...speaker, blocks };
  }

  #emit(node: ForeignNode): void {
    this.#outbox.node(node);
  }

  #above(): { parent?: string } {
    return this.#tip === undefined ? {} : { parent: this.#tip };
  }

  #moveTo(node: string, { ordinal }: Place): void {
    this.#tip = node;
    this.#starts.push({ ordinal, node });
  }

  /** Returns the key of something: its id, unless that came before. Scrubbed files have one id for everything. */
  #claim({ key, ordinal }: Place): string {
    let own = key;
    for (let count = 0; this.#keys.has(own); count += 1) own = `${key}@${ordinal}${count === 0 ? '' : `.${count}`}`;
    this.#keys.add(own);
    return own;
  }

  #take(callId: string): AnsweredCall | undefined {
    const [call, ...rest] = this.#calls.get(callId) ?? [];
    if (rest.length === 0) this.#calls.delete(callId);
    else this.#calls.set(callId, rest);
    return call;
  }
}

/** Returns the fields that the provider wants back with a block. */
export function ownData(data: PlainObject): { provider?: PlainObject } {
  const known = knownFields(data);
  return known === undefined ? {} : { provider: { openai: known } };
}

import { cleanText } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { ForeignBlock, ForeignNode } from '../foreign/foreign.ts';
import { rawBlock, readAnswerBlock, readSentBlock } from './content.ts';
import type { AnswerPart } from './content.ts';
import { isList, objectIn, textIn } from '../foreign/fields.ts';
import type { Conversation } from './conversation.ts';
import type { Outbox } from '../foreign/outbox.ts';
import { Passage } from './passage.ts';
import type { Answer } from './passage.ts';
import { Ancestry, isSame, repeatedWords } from './repetitions.ts';
import { readProviderResult, readResult } from './result.ts';
import type { ReadResult } from './result.ts';
import { finishReason, greaterUsage, usageOf } from './usage.ts';

/** A line of a transcript or of a live stream that holds a message or a part of one. */
export interface MessageLine {
  readonly uuid: string;
  /** The name that its sender gave it, if the program gave it another. */
  readonly sentAs?: string | undefined;
  readonly message: unknown;
  /** True if the program wrote it for its model, beside what people said. */
  readonly isAside?: boolean;
  readonly time: string | undefined;
  /** The tool's own report, on a line with its result. */
  readonly native?: unknown;
  readonly denial?: string | undefined;
  /** Nodes made of this line begin a new context. */
  readonly startsContext?: boolean;
  /** The code of the error that the line holds instead of an answer. */
  readonly error?: string | undefined;
  /** The usage on the line is that of the whole message, not of its beginning. */
  readonly isFinal?: boolean;
  readonly details?: PlainObject | undefined;
}

/** A call without a result so far. */
interface OpenCall {
  readonly key: string;
  readonly passage: Passage;
  readonly name: string;
  readonly parameters: PlainObject;
  readonly time: string | undefined;
}

export interface TreeEvents {
  /** Called for a block of an unknown kind, which was kept unchanged. */
  unknown(kind: string): void;
  remark(text: string): void;
}

/** Puts messages into their places: the lines of one answer become one node, its results follow one below the other. */
export class MessageTree {
  readonly #outbox: Outbox;
  readonly #events: TreeEvents;
  /** The answers of models, by their provider's ids. */
  readonly #answers = new Map<Conversation, Map<string, Passage>>();
  readonly #calls = new Map<string, OpenCall[]>();
  /** The place and content of the first result of each call. */
  readonly #answered = new Map<string, { place: Passage['place']; mark: string }>();
  readonly #ancestry = new Ancestry();
  #contexts = 0;

  constructor(outbox: Outbox, events: TreeEvents) {
    this.#outbox = outbox;
    this.#events = events;
  }

  /** Yields the calls without a result, in their order. */
  *openCalls(): Iterable<{ id: string; name: string; parameters: PlainObject; passage: Passage }> {
    for (const [id, calls] of this.#calls) for (const call of calls) yield { id, ...call };
  }

  /** Returns the passage of the call with that id that waits for its result. */
  callOf(id: string): Passage | undefined {
    return this.#calls.get(id)?.[0]?.passage;
  }

  addAnswer(line: MessageLine, at: Passage): Passage {
    const message = objectIn(line.message);
    const content = contentOf(line.message);
    const id = textIn(message?.id);
    const known = this.#answerAt(id, at);
    if (content.length === 0 && known === undefined) {
      this.#events.remark('A message without any content was passed over.');
      return at;
    }
    const parts = content.map((native, index) => readAnswerBlock(native, keyOf(line.uuid, index)));
    const passage =
      known === undefined
        ? this.#beginAnswer(line, { message, id }, at)
        : this.#placeOfKnown(known, at, line, { message, id, parts });
    const { answer } = passage;
    if (answer === undefined) return passage;
    const isAway = at !== passage || at.original !== undefined;
    const isGrown = this.#noteReport(answer, line, message);
    const blocks: ForeignBlock[] = [];
    const results: { result: PlainObject; call: string; index: number }[] = [];
    const add = (key: string, block: MessageBlock): void => void blocks.push({ key, block });
    if (line.error !== undefined) {
      add(line.uuid, { type: 'error', code: cleanText(line.error), message: content.map(wordsOf).join('\n') });
    } else {
      parts.forEach((part, index) => {
        const key = keyOf(line.uuid, index);
        if (part.type === 'result') {
          results.push({ result: part.result, call: part.call, index });
          return;
        }
        const mark = markOf(part.block);
        if (known !== undefined && isAway && answer.marks.has(mark)) {
          this.#events.remark(writtenAgain);
          return;
        }
        answer.marks.add(mark);
        if (part.type === 'unknown') this.#events.unknown(part.kind);
        if (part.type === 'call')
          this.#openCall(part.block.id, {
            key,
            passage,
            name: part.block.name,
            parameters: part.block.parameters,
            time: line.time,
          });
        add(key, part.block);
      });
    }
    answer.blocks += blocks.length;
    if (blocks.length > 0 || isGrown) this.#tellAnswer(passage, answer, blocks);
    for (const { result, call, index } of results) this.#addProviderResult(result, call, index, line, passage);
    return passage;
  }

  /** Adds the facts about an answer that a live stream gives only at its end. */
  finishAnswer(passage: Passage, usage: PlainObject | undefined, stopReason: unknown): void {
    const { answer } = passage;
    if (answer === undefined) return;
    const before = answer.usage;
    answer.usage = greaterUsage(before, usage);
    const finish = finishReason(stopReason) ?? answer.finish;
    if (answer.blocks === 0 || (answer.usage === before && finish === answer.finish)) return;
    answer.finish = finish;
    this.#tellAnswer(passage, answer, []);
  }

  /** Adds a line of the user's side: text, images, and results of tools. */
  addUser(line: MessageLine, at: Passage): Passage {
    const content = contentOf(line.message);
    if (content.length === 0) {
      this.#events.remark('A message without any content was passed over.');
      return at;
    }
    // If several results share a line, nothing says which tool the report belongs to.
    const isShared = content.length > 1 && content.filter(isResult).length > 1;
    const resultLine = isShared ? { ...line, native: undefined, denial: undefined } : line;
    let place = at;
    let count = 0;
    const said: ForeignBlock[] = [];
    for (const native of content) {
      const part = objectIn(native);
      if (part !== undefined && isResult(part)) {
        const { place: next, blocks } = this.#addResult(part, count, resultLine, place);
        place = next;
        count += blocks;
        continue;
      }
      said.push({ key: keyOf(line.uuid, count), block: this.#readSaid(native) });
      count += 1;
    }
    const [first] = said;
    return first === undefined ? place : this.#addSaid(first.key, said, line, place);
  }

  /** Takes back a line that held that many blocks, as the other program did. */
  retract(passage: Passage, uuid: string, count: number): void {
    const { answer, conversation, nodes } = passage;
    const keys = Array.from({ length: count }, (_, index) => keyOf(uuid, index));
    const isAnswer = answer !== undefined && (uuid === answer.id || !nodes.includes(uuid));
    // Results have views beside their blocks; their number is not remembered.
    const views = isAnswer
      ? []
      : keys.flatMap((key) => Array.from({ length: mostViews }, (_, by) => `${key}/view-${by}`));
    this.#outbox.retract(conversation.id, [...keys, ...views]);
    // The calls of a retracted line wait for nothing.
    for (const [id, calls] of this.#calls) {
      const left = calls.filter((call) => !keys.includes(call.key));
      if (left.length === 0) this.#calls.delete(id);
      else if (left.length < calls.length) this.#calls.set(id, left);
    }
    if (isAnswer) answer.blocks -= count;
    const gone = new Set(!isAnswer ? keys : answer.blocks <= 0 ? [answer.id] : []);
    nodes.splice(0, nodes.length, ...nodes.filter((node) => !gone.has(node)));
  }

  /** Returns the answer with that id, if it has begun. */
  answer(conversation: Conversation, id: string): Passage | undefined {
    return this.#answers.get(conversation)?.get(id);
  }

  #answersOf(conversation: Conversation): Map<string, Passage> {
    const answers = this.#answers.get(conversation) ?? new Map<string, Passage>();
    this.#answers.set(conversation, answers);
    return answers;
  }

  /** The answer that a line belongs to: the one that it stands in, else the first of that id in the same context. */
  #answerAt(id: string | undefined, at: Passage): Passage | undefined {
    if (id === undefined) return undefined;
    return at.answer?.message === id ? at : this.#answers.get(at.conversation)?.get(id);
  }

  /**
   * Returns the place of a line of a known answer: inside it, unless the line repeats a part of it. A repetition means that the history was written
   * again. That is recognized below the same user messages or below the answer itself; elsewhere, and in a new context, it is a new message.
   */
  #placeOfKnown(
    known: Passage,
    at: Passage,
    line: MessageLine,
    facts: { message: PlainObject | undefined; id: string | undefined; parts: readonly AnswerPart[] },
  ): Passage {
    if (known === at) return at;
    const isRepeated = facts.parts.some((part) => 'block' in part && known.answer?.marks.has(markOf(part.block)));
    if (!isRepeated) return known;
    if (known.context === at.context) {
      const words = repeatedWords(at, known);
      for (const [copy, original] of words) {
        this.#outbox.retract(copy.conversation.id, copy.said?.keys ?? []);
        this.#events.remark(writtenAgain);
        copy.becomeCopyOf(original);
      }
      const isThere =
        words.length > 0 || at.end === undefined || (known.above !== undefined && isSame(at, known.above));
      if (isThere || this.#ancestry.has(known, at)) return known.repeat();
    }
    this.#events.remark('An answer came again at another place: it stands at both, and what it cost is counted once.');
    return this.#beginAnswer(line, { ...facts, isRepeated: true }, at);
  }

  #beginAnswer(
    line: MessageLine,
    facts: { message: PlainObject | undefined; id: string | undefined; isRepeated?: boolean },
    at: Passage,
  ): Passage {
    const { message, id, isRepeated = false } = facts;
    const passage = new Passage(at.conversation, at.top, at);
    if (id !== undefined && !isRepeated) this.#answersOf(at.conversation).set(id, passage);
    passage.answer = {
      id: line.uuid,
      message: id,
      isRepeated,
      place: at.place,
      model: cleanText(textIn(message?.model) ?? 'unknown'),
      startedAt: line.time,
      endedAt: undefined,
      usage: undefined,
      finish: undefined,
      details: line.details,
      blocks: 0,
      marks: new Set(),
    };
    passage.nodes.push(line.uuid);
    at.conversation.begin(at.top);
    return passage;
  }

  /** Takes in a line's facts about its whole message; returns true if they are new. */
  #noteReport(answer: Answer, line: MessageLine, message: PlainObject | undefined): boolean {
    if (line.time !== undefined) answer.endedAt = line.time;
    if (line.details !== undefined) answer.details = { ...answer.details, ...line.details };
    if (line.isFinal !== true) return false;
    const { usage, finish } = answer;
    // A line that is not a model call costs nothing, and a call costs once.
    if (answer.model !== syntheticModel && !answer.isRepeated)
      answer.usage = greaterUsage(usage, objectIn(message?.usage));
    answer.finish = finishReason(message?.stop_reason) ?? finish;
    return answer.usage !== usage || answer.finish !== finish;
  }

  #tellAnswer({ conversation }: Passage, answer: Answer, blocks: ForeignBlock[]): void {
    this.#outbox.node({
      conversation: conversation.id,
      id: answer.id,
      ...answer.place,
      role: 'assistant',
      blocks,
      source: {
        type: 'model',
        provider: 'anthropic',
        model_name: answer.model,
        parameters: {},
        ...(answer.finish === undefined ? {} : { finish_reason: answer.finish }),
        ...(answer.usage === undefined ? {} : { usage: usageOf(answer.usage) }),
      },
      ...(answer.startedAt === undefined ? {} : { started_at: answer.startedAt }),
      ...(answer.endedAt === undefined ? {} : { ended_at: answer.endedAt }),
      ...(answer.details === undefined ? {} : { details: answer.details }),
    });
  }

  #readSaid(native: unknown): MessageBlock {
    const block = readSentBlock(native);
    if (block !== undefined) return block;
    this.#events.unknown(textIn(objectIn(native)?.type) ?? typeof native);
    return rawBlock(native);
  }

  #addSaid(id: string, blocks: ForeignBlock[], line: MessageLine, at: Passage): Passage {
    const mark = blocks.map(({ block }) => markOf(block)).join('\n');
    const there = at.below.get(mark);
    if (at.original !== undefined && there !== undefined && line.startsContext !== true) {
      this.#events.remark(writtenAgain);
      return there.repeat();
    }
    const passage = new Passage(at.conversation, at.top, at);
    passage.said = { mark, keys: blocks.map(({ key }) => key) };
    if (line.startsContext === true) passage.context = this.#contexts += 1;
    if (there === undefined) at.below.set(mark, passage);
    const { place } = at;
    at.conversation.begin(at.top);
    passage.nodes.push(id);
    this.#outbox.node({
      conversation: at.conversation.id,
      id,
      ...(line.sentAs === undefined ? {} : { sent_as: line.sentAs }),
      ...(line.isAside === true ? { aside: true } : {}),
      ...place,
      role: 'user',
      blocks,
      source: { type: 'user' },
      ...(line.time === undefined ? {} : { started_at: line.time, ended_at: line.time }),
      ...(line.startsContext === true ? { context_start: true } : {}),
      ...(line.details === undefined ? {} : { details: line.details }),
    });
    return passage;
  }

  #addResult(part: PlainObject, index: number, line: MessageLine, at: Passage): { place: Passage; blocks: number } {
    const id = cleanText(textIn(part.tool_use_id) ?? this.#firstOpenCall(at) ?? keyOf(line.uuid, index));
    const call = this.#closeCall(id, at);
    const place = call?.passage ?? at;
    const read = readResult(part, call ?? { name: '', parameters: undefined }, {
      native: line.native,
      denial: line.denial,
    });
    if (read.unknown !== undefined) this.#events.unknown(read.unknown);
    const before = call === undefined ? this.#answered.get(id) : undefined;
    if (call === undefined && before === undefined) this.#events.remark('A result came whose call is not in the file.');
    const mark = [read.state, ...read.blocks.map(markOf)].join('\n');
    if (before?.mark === mark) {
      this.#events.remark(writtenAgain);
      return { place, blocks: read.blocks.length };
    }
    // A second result of one call is an alternative beside the first.
    const spot = before?.place ?? place.place;
    if (call !== undefined) this.#answered.set(id, { place: spot, mark });
    const details = { ...line.details, ...read.details };
    this.#tellResult(read, { uuid: line.uuid, index }, place, {
      ...spot,
      source: { type: 'tool_result', tool_name: call?.name ?? 'unknown' },
      tool_call_id: id,
      ...(typeof part.is_error === 'boolean' || read.isError ? { is_error: read.isError } : {}),
      ...(call?.time === undefined ? {} : { started_at: call.time }),
      ...(line.time === undefined ? {} : { ended_at: line.time }),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    });
    return { place, blocks: read.blocks.length };
  }

  #addProviderResult(result: PlainObject, id: string, index: number, line: MessageLine, passage: Passage): void {
    const call = this.#closeCall(id, passage);
    const { place } = passage;
    const read = readProviderResult(result);
    this.#answered.set(id, { place, mark: '' });
    this.#tellResult(read, { uuid: line.uuid, index }, passage, {
      ...place,
      source: { type: 'tool_result', tool_name: call?.name ?? 'unknown' },
      tool_call_id: id,
      ...(read.isError ? { is_error: true } : {}),
      ...(line.time === undefined ? {} : { started_at: line.time, ended_at: line.time }),
    });
  }

  #tellResult(
    { blocks, views, state }: Pick<ReadResult, 'blocks' | 'views' | 'state'>,
    { uuid, index }: { uuid: string; index: number },
    { conversation, nodes, top }: Passage,
    fields: Pick<ForeignNode, 'source'> & Partial<ForeignNode>,
  ): void {
    const key = keyOf(uuid, index);
    conversation.begin(top);
    nodes.push(key);
    this.#outbox.node({
      conversation: conversation.id,
      id: key,
      role: 'tool',
      tool: state,
      ...fields,
      blocks: [
        ...blocks.map((block, by) => ({ key: keyOf(uuid, index + by), block })),
        ...views.map((block, by) => ({ key: `${key}/view-${by}`, block })),
      ],
    });
  }

  #openCall(id: string, call: OpenCall): void {
    const calls = this.#calls.get(id);
    if (calls === undefined) this.#calls.set(id, [call]);
    else calls.push(call);
  }

  /** Closes the call that a result belongs to and returns it. Ids may come twice: then the one at this place is meant, else the first. */
  #closeCall(id: string, at: Passage): OpenCall | undefined {
    const calls = this.#calls.get(id) ?? [];
    const own = calls.filter(({ passage }) => passage.conversation === at.conversation);
    const call = own.find(({ passage }) => passage === at) ?? own[0];
    if (call === undefined) return undefined;
    if (calls.length === 1) this.#calls.delete(id);
    else calls.splice(calls.indexOf(call), 1);
    return call;
  }

  #firstOpenCall(at: Passage): string | undefined {
    for (const { id, passage } of this.openCalls()) if (passage === at) return id;
    return undefined;
  }
}

/** The most views of a result. */
const mostViews = 8;

const writtenAgain = 'A part of the history that was written again under other ids is taken once.';

/** The model name that the program gives to messages it wrote itself. */
const syntheticModel = '<synthetic>';

/** Returns the blocks of a message, in any of its shapes. */
function contentOf(message: unknown): readonly unknown[] {
  if (typeof message === 'string') return [message];
  const content = objectIn(message)?.content;
  if (typeof content === 'string') return [content];
  if (isList(content)) return content;
  return objectIn(content) === undefined ? [] : [content];
}

function isResult(native: unknown): boolean {
  return objectIn(native)?.type === 'tool_result';
}

/** Returns the key of a block by its place in its line. */
export function keyOf(uuid: string, index: number): string {
  return index === 0 ? uuid : `${uuid}#${index}`;
}

function markOf(block: MessageBlock): string {
  if (block.type === 'tool-use') return `call ${block.id}`;
  if (block.type !== 'text' && block.type !== 'thinking') return block.type;
  const { text, type } = block;
  return `${type} ${text.length} ${text.slice(0, 40)} ${text.slice(-40)}`;
}

function wordsOf(native: unknown): string {
  if (typeof native === 'string') return cleanText(native);
  const text = objectIn(native)?.text;
  return typeof text === 'string' ? cleanText(text) : '';
}

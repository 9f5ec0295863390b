import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { Tally } from '../../foreign/foreign.ts';
import type { ForeignItem, LineReader } from '../../foreign/foreign.ts';
import { agentName } from '../agents.ts';
import { Conversation } from '../conversation.ts';
import { isList, listIn, objectIn, textIn, textsIn } from '../../foreign/fields.ts';
import { keyOf, MessageTree } from '../message-tree.ts';
import { Outbox } from '../../foreign/outbox.ts';
import { Passage } from '../passage.ts';
import { Provisional } from './provisional.ts';
import type { ProvisionalBlock } from './provisional.ts';
import { spentSince, SpendingCounter } from './spending.ts';
import type { Spending } from './spending.ts';
import { readResultFact, readRunFact } from './run-facts.ts';
import type { StreamFact } from './stream-facts.ts';
import { runLines, streamedLine, systemLines } from './stream-lines.ts';
import { WrappedLines } from './wrapped-lines.ts';

/** Reads the output of `claude -p --output-format stream-json`, and the list that `--output-format json --verbose` prints. */
export interface StreamReader extends LineReader {
  /** Reads one line and returns everything that it states, the items included: `take` has nothing left then. */
  step(line: string): StreamFact[];
  /** The blocks that are being written; they become items once they are complete. */
  readonly provisional: ProvisionalBlock[];
  /** The cost of the run according to its results; `undefined` before the first one. */
  readonly spending: Spending | undefined;
}

export function createStreamReader(): StreamReader {
  return new Reader();
}

/** A path of consecutive lines: a session, or a sub-agent of one. */
interface Path {
  readonly conversation: Conversation;
  end: Passage;
}

class Reader implements StreamReader {
  readonly tally = new Tally();
  readonly #outbox = new Outbox();
  readonly #tree: MessageTree;
  readonly #wrapped = new WrappedLines();
  readonly #partial = new Provisional((fact) => this.#facts?.push(fact));
  readonly #spending = new SpendingCounter();
  readonly #paths = new Map<string, Path>();
  readonly #entries = new Map<string, { passage: Passage; blocks: number }>();
  /** Sessions whose next message from the program is the summary of the compacted part. */
  readonly #compacted = new Set<string>();
  #unknown: string | undefined;
  #unnamed = 0;
  #session = 'session';
  #hasMessages = false;
  /** The facts of the line that is read, where they are wanted. */
  #facts: StreamFact[] | undefined;

  constructor() {
    this.#tree = new MessageTree(this.#outbox, {
      unknown: (kind) => void (this.#unknown ??= `block ${kind}`),
      remark: (text) => this.tally.remark(text),
    });
  }

  get provisional(): ProvisionalBlock[] {
    return this.#partial.blocks;
  }

  get spending(): Spending | undefined {
    return this.#spending.total;
  }

  step(line: string): StreamFact[] {
    const facts: StreamFact[] = [];
    this.#facts = facts;
    this.push(line);
    this.#facts = undefined;
    for (const item of this.#outbox.take()) facts.push({ type: 'item', item });
    return facts;
  }

  push(line: string): void {
    if (line.trim() === '') return this.tally.used();
    const joined = this.#wrapped.push(line);
    if (joined === undefined) {
      if (this.#wrapped.waiting > 0) return;
      this.tally.reported('A line is not JSON.');
      this.#facts?.push({ type: 'stray', text: line });
      return;
    }
    this.#reportLost(joined.lost);
    if (joined.lines > 1) this.tally.remark('A record that was broken over several lines was put together.');
    if (joined.values.length > 1)
      this.tally.remark('A line held several records without a break between them: each was read.');
    this.#unknown = undefined;
    const [first, ...others] = joined.values;
    if (isList(first) && others.length === 0 && joined.lines > 0) return this.#takeList(first, joined.lines);
    for (const value of joined.values) if (isPlainObject(value)) this.#take(value);
    this.#count(joined.lines, joined.values.some(isPlainObject));
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    this.#reportLost(this.#wrapped.end());
    if (this.#partial.clear() > 0)
      this.tally.remark('An answer was cut off while it was written: what was not complete is left out.');
    const waiting = [...this.#tree.openCalls()].length;
    if (waiting > 0)
      this.tally.remark(
        `${waiting === 1 ? 'A call has' : `${waiting} calls have`} no result: the run ended before it came.`,
      );
  }

  #reportLost(lines: number): void {
    for (let count = 0; count < lines; count += 1) this.tally.reported('A record is cut off.');
  }

  /** Reads a document: its records are counted, in place of its lines. */
  #takeList(records: readonly unknown[], lines: number): void {
    if (!records.some(isPlainObject)) return this.#count(lines, false);
    for (const record of records) {
      this.#unknown = undefined;
      if (isPlainObject(record)) this.#take(record);
      this.#count(1, isPlainObject(record));
    }
  }

  #count(lines: number, isRecord: boolean): void {
    for (let count = 0; count < lines; count += 1) {
      if (!isRecord) this.tally.reported('A line is JSON, but no record of a stream.');
      else if (this.#unknown === undefined) this.tally.used();
      else this.tally.raw(this.#unknown);
    }
  }

  #take(line: PlainObject): void {
    // A program that drives the command may wrap each line in a log line.
    const logged = objectIn(objectIn(line.data)?.metadata);
    if (logged !== undefined && line.message === undefined && textIn(logged.type) !== undefined)
      return this.#take(logged);
    this.#session = textIn(line.session_id) ?? this.#session;
    const type = textIn(line.type) ?? '';
    const fact = this.#facts === undefined ? undefined : readRunFact(line);
    if (fact !== undefined) this.#facts?.push(fact);
    switch (type) {
      case 'assistant':
      case 'user':
        return this.#takeMessage(line, type);
      case 'stream_event':
        return this.#takeEvent(line);
      case 'system':
        return this.#takeSystem(line, textIn(line.subtype) ?? '');
      case 'result':
        this.#takeResult(line);
        return this.#hasMessages ? undefined : this.#takeLoneResult(line);
      case 'conversation_reset':
        return;
      default:
        if (!runLines.has(type)) this.#unknown ??= type === '' ? 'without a type' : type;
    }
  }

  #takeResult(line: PlainObject): void {
    const before = this.#spending.total;
    this.#spending.take(line);
    this.#facts?.push(readResultFact(line, spentSince(before, this.#spending.total)));
  }

  #takeMessage(line: PlainObject, type: 'assistant' | 'user'): void {
    if (line.message === undefined) {
      this.#unknown ??= `${type} without a message`;
      return;
    }
    const uuid = this.#nameOf(line);
    if (this.#entries.has(uuid)) return this.tally.remark('A line that came twice was read once.');
    this.#hasMessages = true;
    this.#retract(line.supersedes);
    const path = this.#pathOf(line, uuid);
    const isSummary = type === 'user' && line.isSynthetic === true && this.#compacted.delete(this.#session);
    const message = streamedLine(line, uuid, isSummary);
    path.end = type === 'assistant' ? this.#tree.addAnswer(message, path.end) : this.#tree.addUser(message, path.end);
    const native = objectIn(line.message);
    const content = listIn(native?.content);
    this.#entries.set(uuid, { passage: path.end, blocks: Math.max(1, content.length) });
    const id = textIn(native?.id);
    if (type === 'assistant' && id !== undefined)
      for (const [index, block] of content.entries()) this.#partial.settle(id, block, keyOf(uuid, index));
  }

  #takeEvent(line: PlainObject): void {
    const event = objectIn(line.event);
    if (event === undefined) return;
    const id = textIn(line.api_message_id) ?? textIn(objectIn(event.message)?.id) ?? this.#partial.current ?? '';
    const abandoned = objectIn(line.abandoned_blocks);
    if (typeof abandoned?.from_block_index === 'number') {
      this.#partial.abandon(textIn(abandoned.api_message_id) ?? id, abandoned.from_block_index);
    }
    this.#partial.take(id, event);
    if (event.type !== 'message_delta') return;
    const passage = this.#tree.answer(this.#pathOf(line, id).conversation, id);
    if (passage !== undefined)
      this.#tree.finishAnswer(passage, objectIn(event.usage), objectIn(event.delta)?.stop_reason);
  }

  #takeSystem(line: PlainObject, subtype: string): void {
    if (!systemLines.has(subtype)) this.#unknown ??= `system/${subtype}`;
    if (subtype === 'init') {
      const { conversation } = this.#mainPath();
      conversation.note({ directory: textIn(line.cwd), details: { version: textIn(line.claude_code_version) } });
    } else if (subtype === 'compact_boundary') this.#compacted.add(this.#session);
    else if (subtype === 'task_started') this.#noteTask(line);
    this.#retract(line.retracted_message_uuids);
  }

  /** Reads a run that printed only its result, which is then the whole conversation. */
  #takeLoneResult(line: PlainObject): void {
    const errors = textsIn(line.errors);
    const words = textIn(line.result) ?? errors.join('\n');
    if (words === '') return;
    const isError = line.is_error === true || errors.length > 0;
    const path = this.#mainPath();
    const message: PlainObject = {
      model: isError ? '<synthetic>' : modelOf(line),
      content: [{ type: 'text', text: words }],
      stop_reason: line.stop_reason,
    };
    const error = isError ? (textIn(line.terminal_reason) ?? textIn(line.subtype) ?? 'error') : undefined;
    path.end = this.#tree.addAnswer(
      { uuid: this.#nameOf(line), message, time: undefined, error, isFinal: true, details: { from: 'result' } },
      path.end,
    );
  }

  /** Notes the start of a sub-agent: its lines will name the call. */
  #noteTask(line: PlainObject): void {
    const [agent, call] = [textIn(line.task_id), textIn(line.tool_use_id)];
    if (
      line.task_type !== 'local_agent' ||
      agent === undefined ||
      call === undefined ||
      this.#paths.has(this.#nameOfPath(call))
    )
      return;
    const path = this.#beginAgent(agentName(agent, this.#session), call);
    const title = textIn(line.description);
    if (title !== undefined) path.conversation.setTitle(title, 'generated');
    path.conversation.tell();
  }

  #pathOf(line: PlainObject, uuid: string): Path {
    const call = textIn(line.parent_tool_use_id);
    if (call === undefined) return this.#mainPath();
    const known = this.#paths.get(this.#nameOfPath(call));
    if (known !== undefined) return known;
    const agent = textIn(line.agent_id);
    const path = this.#beginAgent(agent === undefined ? uuid : agentName(agent, this.#session), call);
    const title = textIn(line.task_description);
    if (title !== undefined) path.conversation.setTitle(title, 'generated');
    return path;
  }

  #mainPath(): Path {
    const known = this.#paths.get(this.#session);
    if (known !== undefined) return known;
    const conversation = new Conversation(this.#outbox, this.#session);
    const path = { conversation, end: new Passage(conversation, this.#session) };
    this.#paths.set(this.#session, path);
    return path;
  }

  #beginAgent(name: string, call: string): Path {
    const conversation = new Conversation(this.#outbox, name);
    conversation.setParent(this.#tree.callOf(call)?.conversation.id ?? this.#mainPath().conversation.id, call);
    const path = { conversation, end: new Passage(conversation, name) };
    this.#paths.set(this.#nameOfPath(call), path);
    return path;
  }

  #nameOfPath(call: string): string {
    return `${this.#session}\n${call}`;
  }

  #nameOf(line: PlainObject): string {
    const uuid = textIn(line.uuid);
    if (uuid !== undefined) return uuid;
    this.#unnamed += 1;
    return `${this.#session}:${this.#unnamed}`;
  }

  #retract(uuids: unknown): void {
    for (const uuid of textsIn(uuids)) {
      const entry = this.#entries.get(uuid);
      if (entry === undefined || entry.blocks === 0) continue;
      this.#tree.retract(entry.passage, uuid, entry.blocks);
      entry.blocks = 0;
    }
  }
}

function modelOf(result: PlainObject): string {
  return Object.keys(objectIn(result.modelUsage) ?? {})[0] ?? 'unknown';
}

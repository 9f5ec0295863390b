import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject, ToolBlock } from '@loom/blocks';
import { viewsOfItem } from '@loom/blocks/views';
import { withReport } from '../foreign/answer.ts';
import type { Tally } from '../foreign/foreign.ts';
import { knownFields, listAt, numberAt, objectAt, textAt } from '../foreign/fields.ts';
import type { Outbox } from '../foreign/outbox.ts';
import { idleEvents, idleItems } from './idle.ts';
import { nativeOf, slimNative, spawnedThreads } from './natives.ts';
import type { Native } from './natives.ts';
import { stateOf } from './outcome.ts';
import { citedPages, readParts, wordsOf } from './parts.ts';
import { isWrittenByCodex } from './people.ts';
import { readCall, readNativeCall, readOutput, readReasoning, typeOfItem } from './response-items.ts';
import { ownData, ThreadWriter } from './thread-writer.ts';
import type { Place } from './thread-writer.ts';
import { readUsage } from './usage.ts';
import { WordPairs } from './word-pairs.ts';
import type { WordKind } from './word-pairs.ts';

interface ThreadFacts {
  readonly outbox: Outbox;
  readonly tally: Tally;
  readonly thread: string;
  readonly conversation: string;
  /** The node that the thread hangs below. */
  readonly tip: string | undefined;
}

/** Reads the lines of one thread, in their order. Its functions return the kind of a line or part that is unknown. */
export class RolloutThread {
  readonly #facts: ThreadFacts;
  readonly #writer: ThreadWriter;
  readonly #words: WordPairs;
  /** The reports of calls whose results have not come, by call. */
  readonly #natives = new Map<string, PlainObject>();
  readonly #spawned = new Set<string>();
  #hasRecords = false;
  #lastTotal: string | undefined;
  #lastError: string | undefined;

  constructor(facts: ThreadFacts) {
    this.#facts = facts;
    this.#writer = new ThreadWriter(facts.outbox, facts.conversation, facts.tip);
    this.#words = new WordPairs(() => {
      facts.tally.remark('An event differs from the message that it belongs to; the message was kept.');
    });
  }

  get speaking(): string | undefined {
    return this.#writer.speaking;
  }

  nodeBefore(ordinal: number): string | undefined {
    return this.#writer.nodeBefore(ordinal);
  }

  end(): void {
    this.#words.pass();
    const open = this.#writer.openCalls;
    if (open > 0) this.#facts.tally.remark('A call has no result yet where the file ends.');
  }

  setModel(context: PlainObject): void {
    const model = textAt(context, 'model');
    if (model !== undefined) this.#writer.model = model;
  }

  usageRecord(record: PlainObject): void {
    this.#hasRecords = true;
    const usage = readUsage(objectAt(record, 'usage') ?? {});
    if (usage !== undefined) this.#writer.usage(usage);
    this.#writer.endAnswer();
  }

  /** Reads an item in the form that the model was shown. */
  item(item: PlainObject, ordinal: number, time: string | undefined): string | undefined {
    const type = typeOfItem(item);
    if (type === undefined) return 'response_item without a type';
    const place = this.#place(textAt(item, 'id'), ordinal, time);
    if (type === 'message') return this.#message(item, place);
    if (type === 'reasoning') {
      const blocks = readReasoning(item);
      if (this.#words.said('reasoning', blocks.map(({ text }) => text).join('\n'))) this.#writer.speak(place, blocks);
      return undefined;
    }
    if (idleItems.has(type)) return undefined;
    this.#words.pass();
    if (type === 'agent_message') return this.#agentMessage(item, place);
    if (type.endsWith('_output')) return this.#output(item, place);
    return this.#calling(type, item, place);
  }

  /** Reads an event that Codex showed to the user. */
  event(payload: PlainObject, ordinal: number, time: string | undefined): string | undefined {
    const type = textAt(payload, 'type') ?? '';
    const place = this.#place(undefined, ordinal, time);
    const native = nativeOf(payload);
    if (native !== undefined) {
      this.#report(native, time);
      return undefined;
    }
    switch (type) {
      case 'item_completed':
        return this.#itemCompleted(objectAt(payload, 'item') ?? {}, place);
      case 'user_message':
        this.#told('user', payload.message, place);
        return undefined;
      case 'agent_message':
        this.#told('assistant', payload.message, place);
        return undefined;
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
        this.#told('reasoning', payload.text, place);
        return undefined;
      case 'token_count':
        this.#tokenCount(payload);
        // It comes before an answer or after it; after one that broke off it alone separates it from the next try.
        this.#writer.endAnswer();
        return undefined;
      case 'thread_settings_applied':
        this.setModel(objectAt(payload, 'thread_settings') ?? {});
        return undefined;
      case 'task_started':
      case 'turn_started':
        this.#words.endTurn();
        this.#writer.giveUpCalls(place);
        return undefined;
      case 'sub_agent_activity':
        this.#sentOut(payload, time);
        return undefined;
      case 'error':
        this.#failed(payload, place);
        return undefined;
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        this.#endTurn(payload, place);
        return undefined;
      case 'thread_rolled_back':
        this.#words.endTurn();
        this.#writer.takeBack(numberAt(payload, 'num_turns') ?? 0);
        return undefined;
      default:
        return idleEvents.test(type) ? undefined : `event_msg/${type}`;
    }
  }

  /** Starts a new context: models no longer see the messages above. */
  compacted(payload: PlainObject, ordinal: number, time: string | undefined): string | undefined {
    this.#words.endTurn();
    const summary = textAt(payload, 'message') ?? '';
    const history = listAt(payload, 'replacement_history');
    const sealed = history.filter((item) => textAt(item, 'type') === 'compaction');
    const blocks: MessageBlock[] = summary.trim() === '' ? [] : [{ type: 'text', text: summary }];
    blocks.push(...sealed.map((value) => ({ type: 'raw', source: 'codex', value }) as const));
    if (blocks.length === 0) {
      // Without a summary, the messages that replace the history are all the model is shown.
      blocks.push(...history.flatMap((item) => (isPlainObject(item) ? readParts(item.content).blocks : [])));
    }
    if (blocks.length === 0) blocks.push({ type: 'raw', source: 'codex', value: payload });
    this.#writer.user(this.#place(undefined, ordinal, time), blocks, {
      details: { synthetic: true },
      context_start: true,
    });
    return undefined;
  }

  #place(id: string | undefined, ordinal: number, time: string | undefined): Place {
    return { key: id === undefined || id === '' ? `${this.#facts.thread}#${ordinal}` : id, ordinal, time };
  }

  #message(item: PlainObject, place: Place): string | undefined {
    const { blocks, unknown } = readParts(item.content);
    const words = wordsOf(item.content);
    if (textAt(item, 'role') === 'assistant') {
      if (!this.#words.said('assistant', words)) return unknown;
      const first = blocks[0];
      const own = ownData({ itemId: textAt(item, 'id'), phase: textAt(item, 'phase') });
      const said: MessageBlock[] = first === undefined ? [] : [{ ...first, ...own }, ...blocks.slice(1)];
      const sources = citedPages(item.content);
      if (sources.length > 0) said.push({ type: 'sources', sources });
      this.#writer.speak(place, said);
      return unknown;
    }
    const isOwn = isWrittenByCodex(item, words);
    if (!this.#words.said('user', words, isOwn)) return unknown;
    // A process that was killed left calls open; their results will never come.
    if (!isOwn || words.startsWith('<turn_aborted>')) this.#writer.giveUpCalls(place);
    const role = textAt(item, 'role');
    const details = isOwn ? { synthetic: true, ...(role === 'user' ? {} : { role }) } : undefined;
    this.#writer.user(place, blocks, { details, aside: isOwn });
    return unknown;
  }

  /** Reads a message from another agent of the same task. */
  #agentMessage(item: PlainObject, place: Place): string | undefined {
    const { blocks, unknown } = readParts(item.content);
    const [author, recipient] = [textAt(item, 'author'), textAt(item, 'recipient')];
    const details = { synthetic: true, ...knownFields({ author, recipient }) };
    this.#writer.user(place, blocks, { details, aside: true });
    return unknown;
  }

  #calling(type: string, item: PlainObject, place: Place): string | undefined {
    const call = readCall(type, item, place.key);
    if (call !== undefined) {
      this.#writer.call(place, call.block, call.parameters);
      return undefined;
    }
    const native = readNativeCall(type, item, place.key);
    if (native === undefined) {
      this.#writer.speak(place, [{ type: 'raw', source: 'codex', value: item }]);
      return `response_item/${type}`;
    }
    this.#writer.speak(place, [native.block, ...native.beside]);
    const { id, name, parameters } = native.block;
    const reported = this.#natives.get(id);
    this.#natives.delete(id);
    this.#writer.answer(
      { ...place, key: `${place.key}/result` },
      { id, name, parameters },
      { blocks: native.result, text: undefined, native: reported ?? withoutPicture(item), state: 'result' },
    );
    return undefined;
  }

  #output(item: PlainObject, place: Place): string | undefined {
    const callId = textAt(item, 'call_id') ?? place.key;
    const { blocks, text, unknown } = readOutput(item);
    const native = this.#natives.get(callId);
    this.#natives.delete(callId);
    const name = this.#writer.callNamed(callId);
    if (name === 'spawn_agent' && text !== undefined) this.#spawn(callId, threadsOfOutput(text), place.time);
    // In code mode the model's program calls the tools, and their reports belong to the call of the program.
    const nested = name === 'exec' ? this.#takeNested() : [];
    const kept = native === undefined ? blocks : withReport(blocks, 'codex', slimNative(native));
    this.#writer.result(place, callId, { blocks: kept, text, native, state: stateOf(text, native) }, nested);
    return unknown;
  }

  #takeNested(): PlainObject[] {
    const nested: PlainObject[] = [];
    for (const [call, item] of this.#natives) {
      if (this.#writer.hasCall(call)) continue;
      nested.push(item);
      this.#natives.delete(call);
    }
    return nested;
  }

  #report(native: Native, time: string | undefined): void {
    this.#spawn(native.call, spawnedThreads(native), time);
    this.#natives.set(native.call, native.item);
  }

  /** Emits the conversations of agents that a call has started: their own files do not know the call. */
  #spawn(call: string, threads: readonly string[], time: string | undefined): void {
    for (const id of threads) {
      if (this.#spawned.has(id)) continue;
      this.#spawned.add(id);
      this.#facts.outbox.conversation({
        id,
        parent: { conversation: this.#facts.conversation, call },
        ...(time === undefined ? {} : { created_at: time }),
      });
    }
  }

  /** Newer versions report the start of an agent this way; the id is that of the call. */
  #sentOut(activity: PlainObject, time: string | undefined): void {
    const [call, thread] = [textAt(activity, 'id', 'event_id'), textAt(activity, 'agent_thread_id')];
    const hasBegun = /^(?:started|spawned|created)$/i.test(textAt(activity, 'kind') ?? '');
    if (hasBegun && call !== undefined && thread !== undefined) this.#spawn(call, [thread], time);
  }

  #itemCompleted(item: PlainObject, place: Place): string | undefined {
    const type = textAt(item, 'type') ?? '';
    const named = { ...place, key: textAt(item, 'id') ?? place.key };
    switch (type) {
      case 'UserMessage':
        this.#told('user', wordsOf(item.content), named);
        return undefined;
      case 'AgentMessage':
        this.#told('assistant', wordsOf(item.content), named);
        return undefined;
      case 'Reasoning': {
        const texts = [...listAt(item, 'summary_text'), ...listAt(item, 'raw_content')];
        this.#told('reasoning', texts.filter((text) => typeof text === 'string').join('\n'), named);
        return undefined;
      }
      case 'SubAgentActivity':
        this.#sentOut(item, place.time);
        return undefined;
      default:
        return /^(?:Plan|ContextCompaction|EnteredReviewMode|ExitedReviewMode|HookPrompt)$/.test(type)
          ? undefined
          : `item_completed/${type}`;
    }
  }

  #told(kind: WordKind, words: unknown, place: Place): void {
    if (typeof words !== 'string') return;
    this.#words.told(kind, words, () => {
      if (words === '') return;
      if (kind === 'user') this.#writer.user(place, [{ type: 'text', text: words }], {});
      else this.#writer.speak(place, [{ type: kind === 'reasoning' ? 'thinking' : 'text', text: words }]);
    });
  }

  /** Older versions report the tokens of a call in an event, and the same again when only limits have changed. */
  #tokenCount(payload: PlainObject): void {
    const info = objectAt(payload, 'info');
    const last = objectAt(info, 'last_token_usage');
    if (this.#hasRecords || last === undefined) return;
    const sums = objectAt(info, 'total_token_usage');
    const total = sums === undefined ? undefined : Object.values(sums).join(' ');
    if (total === this.#lastTotal && total !== undefined) return;
    this.#lastTotal = total;
    const usage = readUsage(last);
    if (usage !== undefined) this.#writer.usage(usage);
  }

  #failed(error: PlainObject, place: Place): void {
    const message = textAt(error, 'message');
    if (message === undefined || message === this.#lastError) return;
    this.#lastError = message;
    this.#words.pass();
    this.#writer.endAnswer();
    const info = error.codex_error_info;
    const code = typeof info === 'string' && info !== '' ? info : 'codex_error';
    this.#writer.speak(place, [{ type: 'error', code, message, ...(isPlainObject(info) ? { detail: info } : {}) }]);
  }

  #endTurn(payload: PlainObject, place: Place): void {
    this.#words.endTurn();
    const leftOver: ToolBlock[] = [...this.#natives.values()].flatMap((item) => viewsOfItem(item));
    this.#natives.clear();
    if (leftOver.length > 0) {
      this.#writer.speak({ ...place, key: `${place.key}/views` }, leftOver.filter(isSpoken));
    }
    const error = objectAt(payload, 'error');
    if (error !== undefined) this.#failed(error, { ...place, key: `${place.key}/error` });
    this.#writer.endTurn(place, payload.type === 'turn_aborted' ? (textAt(payload, 'reason') ?? 'aborted') : undefined);
    this.#lastError = undefined;
  }
}

/** Checks that a view's block may stand in a model's message. */
function isSpoken(block: ToolBlock): block is Exclude<ToolBlock, { type: 'conversation' }> {
  return block.type !== 'conversation';
}

function withoutPicture({ result: _result, ...item }: PlainObject): PlainObject {
  return item;
}

function threadsOfOutput(text: string): string[] {
  if (!text.startsWith('{')) return [];
  try {
    const value: unknown = JSON.parse(text);
    const id = textAt(value, 'agent_id');
    return id === undefined ? [] : [id];
  } catch {
    return [];
  }
}

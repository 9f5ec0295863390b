import type { PlainObject } from '@loom/blocks';
import type { Tally } from '../foreign/foreign.ts';
import { listAt, textAt } from '../foreign/fields.ts';
import type { Outbox } from '../foreign/outbox.ts';
import { callOfItem, resultOfItem, toldAtEnd, wordsOfItem } from './exec-items.ts';
import type { ExecItem } from './exec-items.ts';
import { readNativeCall } from './response-items.ts';
import type { Place, ThreadWriter } from './thread-writer.ts';
import type { Usage } from './usage.ts';

/** An item is reported when it begins or grows, by a piece of its text, and when it is done. */
export type ItemEvent = 'grown' | 'delta' | 'done';

interface RunFacts {
  readonly outbox: Outbox;
  readonly tally: Tally;
  readonly thread: string;
  readonly writer: ThreadWriter;
  /** Each process counts the ids of items from the start, so its first item names the process. Without it ids are names already. */
  readonly nameOfRun?: () => string;
}

/** The state of an item so far. */
interface Known {
  type: string;
  /** The text that came before it was done. */
  words: string;
  isCalled: boolean;
  /** Its fields when it was done. */
  done?: PlainObject;
  /** Its text when it was done; for a list of tasks, its last state. */
  last: string;
  times: number;
  fields: PlainObject;
}

interface At {
  readonly line: number;
  readonly time: string | undefined;
}

/** Reads the output of one `codex exec` process. */
export class ExecRun {
  readonly #facts: RunFacts;
  readonly #items = new Map<string, Known>();
  #name: string | undefined;
  #heldError: string | undefined;
  #lastWords: string | undefined;

  constructor(facts: RunFacts) {
    this.#facts = facts;
  }

  /** Reads an item. Returns its kind if that is unknown. */
  item(event: ItemEvent, { id: given, type: told, fields }: ExecItem, { line, time }: At): string | undefined {
    const id = given ?? `line-${line}`;
    const known = this.#items.get(id) ?? { type: '', words: '', isCalled: false, last: '', times: 0, fields };
    this.#items.set(id, known);
    known.type = told ?? known.type;
    known.fields = { ...known.fields, ...fields };
    if (known.type === '') return 'item without a type';
    return this.#tell(known, event, wordsOfItem(fields), { key: this.#key(id), ordinal: line, time });
  }

  /** Reads an error that need not end the turn: the connection may come back. */
  warn(message: string): void {
    if (/^Reconnecting\b/.test(message)) {
      this.#facts.tally.remark('The connection was lost, and Codex tried again.');
      // The earlier part stays, and the answer is given again.
      this.#facts.writer.endAnswer();
    } else this.#heldError = message;
  }

  /** Reads the failure of the turn; returns its reason. */
  fail(error: PlainObject, line: number): string {
    const message = textAt(error, 'message') ?? this.#heldError ?? 'The turn failed.';
    this.#heldError = undefined;
    this.#flush(line);
    this.#writeError(textAt(error, 'code', 'type') ?? 'turn_failed', message, line);
    this.#facts.writer.endTurn(this.#place('failed', line), undefined);
    return message;
  }

  /** Writes the last message of the turn, if it did not come as an item. */
  finalWords(words: string, line: number): void {
    this.#flush(line);
    if (words === '' || words === this.#lastWords) return;
    this.#facts.writer.speak(this.#place('final', line), [{ type: 'text', text: words }]);
  }

  usage(usage: Usage): void {
    this.#facts.writer.usage(usage);
  }

  endTurn(line: number, reason: string | undefined): void {
    if (this.#heldError !== undefined) this.#facts.tally.remark('An error was told of a turn that went on.');
    this.#heldError = undefined;
    this.#lastWords = undefined;
    this.#flush(line);
    this.#facts.writer.endTurn(this.#place('end', line), reason);
  }

  /** Ends the process. Its unfinished items stay as they are. */
  end(line: number): void {
    this.#flush(line);
    if (this.#heldError !== undefined) this.#writeError('codex_error', this.#heldError, line);
    this.#heldError = undefined;
    this.#facts.writer.giveUpCalls(this.#place('end', line));
  }

  #tell(known: Known, event: ItemEvent, words: string | undefined, place: Place): string | undefined {
    switch (known.type) {
      case 'agent_message':
      case 'reasoning':
        this.#tellWords(known, event, words, place);
        return undefined;
      case 'error':
        if (event === 'done') this.#once(known, () => this.#warned(known, place));
        return undefined;
      case 'todo_list':
        this.#tellTasks(known, place);
        return undefined;
      default:
        return this.#tellTool(known, event, place);
    }
  }

  #tellWords(known: Known, event: ItemEvent, told: string | undefined, place: Place): void {
    if (event === 'delta') known.words += textAt(known.fields, 'delta') ?? told ?? '';
    else if (event === 'grown') known.words = grownWords(known.words, told);
    else {
      // A completed item carries its whole text, which replaces the updates; if it carries none, the updates stand.
      const words = told === undefined || told === '' ? known.words : told;
      if (!words.startsWith(known.words) && !known.words.startsWith(words))
        this.#facts.tally.remark('An item was completed with other words than it was updated with: those count.');
      if (known.times > 0 && words === known.last) return;
      known.times += 1;
      known.last = words;
      this.#speak(known, words, place);
    }
  }

  #speak(known: Known, words: string, place: Place): void {
    if (known.type === 'agent_message') this.#lastWords = words;
    known.words = '';
    this.#facts.writer.speak(place, [{ type: known.type === 'reasoning' ? 'thinking' : 'text', text: words }]);
  }

  /** A warning, which comes as a separate item. */
  #warned(known: Known, place: Place): void {
    const message = textAt(known.fields, 'message') ?? '';
    this.#facts.writer.speak(place, [{ type: 'error', code: 'warning', message }]);
  }

  /** Every change of the list was a model call; its final state is reported once more when the turn ends. */
  #tellTasks(known: Known, place: Place): void {
    const state = JSON.stringify(known.fields.items);
    if (state === undefined || state === known.last) return;
    known.last = state;
    known.times += 1;
    const key = known.times === 1 ? place.key : `${place.key}.${known.times}`;
    this.#call(known, { ...place, key });
    this.#answer(known, { ...place, key });
  }

  #tellTool(known: Known, event: ItemEvent, place: Place): string | undefined {
    const { type } = known;
    if (type === 'web_search') {
      if (event === 'done') this.#once(known, () => this.#search(known, place));
      return undefined;
    }
    const call = callOfItem(type, known.fields, place.key);
    if (call === undefined) {
      if (event === 'done') this.#once(known, () => this.#keepRaw(known, place));
      return `item/${type}`;
    }
    if (event !== 'done' && toldAtEnd.has(type)) return undefined;
    if (!known.isCalled) this.#call(known, place);
    if (event === 'done') {
      this.#once(known, () => {
        this.#answer(known, place);
        if (type === 'collab_tool_call') this.#link(known, place);
      });
    }
    return undefined;
  }

  #call(known: Known, place: Place): void {
    const call = callOfItem(known.type, known.fields, place.key);
    if (call === undefined) return;
    known.isCalled = true;
    this.#facts.writer.call(place, call, call.parameters);
  }

  #answer(known: Known, place: Place): void {
    const result = resultOfItem(known.type, known.fields);
    this.#facts.writer.result({ ...place, key: `${place.key}/result` }, place.key, result);
  }

  /** OpenAI runs the search, so it is written as in the session. */
  #search(known: Known, place: Place): void {
    const { fields } = known;
    const item = { type: 'web_search_call', id: fields.id, status: 'completed', action: fields.action };
    const search = readNativeCall(item.type, item, place.key);
    if (search === undefined) return;
    const { id, name, parameters } = search.block;
    this.#facts.writer.speak(place, [search.block]);
    this.#facts.writer.answer(
      { ...place, key: `${place.key}/result` },
      { id, name, parameters },
      { blocks: search.result, text: undefined, native: { ...fields, type: 'web_search' }, state: 'result' },
    );
  }

  #link({ fields }: Known, { key }: Place): void {
    if (fields.tool !== 'spawn_agent') return;
    for (const id of listAt(fields, 'receiver_thread_ids')) {
      if (typeof id !== 'string') continue;
      this.#facts.outbox.conversation({ id, parent: { conversation: this.#facts.thread, call: key } });
    }
  }

  #keepRaw(known: Known, place: Place): void {
    this.#facts.writer.speak(place, [{ type: 'raw', source: 'codex', value: known.fields }]);
  }

  /** Acts once per completed item, however often its completion is reported. */
  #once(known: Known, act: () => void): void {
    const before = known.done;
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(known.fields)) return;
    known.done = known.fields;
    act();
  }

  /** Keeps texts that were begun and never finished, as they are. */
  #flush(line: number): void {
    for (const [id, known] of this.#items) {
      if (known.times > 0 || known.words === '') continue;
      known.times += 1;
      known.last = known.words;
      this.#speak(known, known.words, this.#place(id, line));
    }
  }

  #writeError(code: string, message: string, line: number): void {
    this.#facts.writer.endAnswer();
    this.#facts.writer.speak(this.#place(`error-${line}`, line), [{ type: 'error', code, message }]);
  }

  #place(id: string, line: number): Place {
    return { key: this.#key(id), ordinal: line, time: undefined };
  }

  #key(id: string): string {
    this.#name ??= this.#facts.nameOfRun?.() ?? '';
    return this.#name === '' ? id : `${this.#name}/${id}`;
  }
}

/** Returns the text after an update, which carries the whole text so far, or only the new part. */
function grownWords(before: string, now: string | undefined): string {
  if (now === undefined) return before;
  return now.startsWith(before) || before.startsWith(now) ? now : `${before}${now}`;
}

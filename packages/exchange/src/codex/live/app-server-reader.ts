import type { PlainObject } from '@loom/blocks';
import { Tally } from '../../foreign/foreign.ts';
import type { ForeignItem, LineReader } from '../../foreign/foreign.ts';
import { listAt, objectAt, textAt } from '../../foreign/fields.ts';
import { Outbox } from '../../foreign/outbox.ts';
import { asExec, factOf, readServerLine, spelledAsExec } from './app-server-facts.ts';
import type { ServerFact } from './app-server-facts.ts';
import { ExecRun } from '../exec-run.ts';
import { ThreadWriter } from '../thread-writer.ts';
import { readUsage } from '../usage.ts';

/** Reads what `codex app-server` prints, for threads whose session files are not there. Items are those of `codex exec --json` in another spelling. */
export interface AppServerReader extends LineReader {
  /** Takes one fact of a line that was read already. */
  hear(fact: ServerFact): void;
}

export function createAppServerReader(model = ''): AppServerReader {
  return new Reader(model);
}

interface Thread {
  readonly run: ExecRun;
  readonly writer: ThreadWriter;
}

class Reader implements AppServerReader {
  readonly tally = new Tally();
  readonly #outbox = new Outbox();
  readonly #threads = new Map<string, Thread>();
  readonly #model: string;
  #line = 0;

  constructor(model: string) {
    this.#model = model;
  }

  push(line: string): void {
    const read = readServerLine(line);
    if (read.type === 'other') this.tally.reported('A line is not a message of the protocol.');
    else if (read.type !== 'notice') this.tally.used();
    else {
      const fact = factOf(read.method, read.params);
      if (fact.type === 'unknown') this.tally.raw(fact.kind);
      else this.tally.used();
      this.hear(fact);
    }
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    for (const { run } of this.#threads.values()) run.end(this.#line);
  }

  hear(fact: ServerFact): void {
    this.#line += 1;
    const at = { line: this.#line, time: undefined };
    switch (fact.type) {
      case 'words': {
        const type = fact.of === 'text' ? 'agent_message' : 'reasoning';
        // Thoughts come whole with their item; their parts are told apart there.
        if (type === 'agent_message')
          this.#open(fact.thread).run.item('delta', { id: fact.item, type, fields: { delta: fact.text } }, at);
        return;
      }
      case 'item':
        this.#item(fact.thread, fact.isDone, fact.item);
        return;
      case 'plan':
        this.#open(fact.thread).run.item(
          'grown',
          { id: `plan of ${fact.turn}`, type: 'todo_list', fields: { items: fact.items } },
          at,
        );
        return;
      case 'usage': {
        const usage = readUsage(fact.last);
        if (usage !== undefined) this.#open(fact.thread).writer.usage(usage);
        this.#open(fact.thread).writer.endAnswer();
        return;
      }
      case 'turn-ended':
        if (fact.status === 'failed')
          this.#open(fact.thread).run.fail({ message: fact.error?.message, code: fact.error?.kind }, this.#line);
        else this.#open(fact.thread).run.endTurn(this.#line, fact.status === 'interrupted' ? fact.status : undefined);
        return;
      default:
        return;
    }
  }

  #item(thread: string, isDone: boolean, item: PlainObject): void {
    const id = textAt(item, 'id') ?? '';
    const type = asExec(textAt(item, 'type') ?? '');
    const { writer, run } = this.#open(thread);
    if (type === 'user_message') {
      if (isDone) this.#prompt(writer, id, item);
      return;
    }
    if (idleItems.has(type)) return;
    const fields = fieldsOf(type, item);
    const event = isDone ? 'done' : 'grown';
    const unknown = run.item(
      event,
      { id, type: execTypes.get(type) ?? type, fields },
      { line: this.#line, time: undefined },
    );
    if (unknown !== undefined) this.tally.remark(`An item of an unknown kind was kept as it is: ${unknown}`);
  }

  #prompt(writer: ThreadWriter, key: string, item: PlainObject): void {
    const texts = listAt(item, 'content').flatMap((part) => textAt(part, 'text') ?? []);
    writer.user({ key, ordinal: this.#line, time: undefined }, [{ type: 'text', text: texts.join('\n') }], {});
  }

  #open(thread: string): Thread {
    const known = this.#threads.get(thread);
    if (known !== undefined) return known;
    this.#outbox.conversation({ id: thread });
    const writer = new ThreadWriter(this.#outbox, thread, undefined);
    writer.model = this.#model;
    const opened = { writer, run: new ExecRun({ outbox: this.#outbox, tally: this.tally, thread, writer }) };
    this.#threads.set(thread, opened);
    return opened;
  }
}

const execTypes: ReadonlyMap<string, string> = new Map([['collab_agent_tool_call', 'collab_tool_call']]);

/** Items that repeat others, or that no conversation keeps. */
const idleItems: ReadonlySet<string> = new Set([
  'hook_prompt',
  'plan',
  'sub_agent_activity',
  'sleep',
  'entered_review_mode',
  'exited_review_mode',
  'context_compaction',
  'function_call_output',
]);

/** Returns the fields of an item in the spelling of `codex exec --json`. */
function fieldsOf(type: string, item: PlainObject): PlainObject {
  const fields: PlainObject = { ...spelledAsExec(item), type };
  const status = textAt(item, 'status');
  if (status !== undefined) fields.status = asExec(status);
  if (type === 'reasoning') fields.text = [...listAt(item, 'summary'), ...listAt(item, 'content')].join('\n');
  const result = objectAt(item, 'result');
  if (type === 'mcp_tool_call' && result !== undefined) fields.result = spelledAsExec(result);
  if (type === 'collab_agent_tool_call') fields.tool = asExec(textAt(item, 'tool') ?? '');
  return fields;
}

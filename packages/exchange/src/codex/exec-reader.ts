import { createHash } from 'node:crypto';
import type { PlainObject } from '@loom/blocks';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem, LineReader } from '../foreign/foreign.ts';
import { objectAt, textAt, timeOf } from '../foreign/fields.ts';
import { readCountedLine } from '../foreign/line-reading.ts';
import { Outbox } from '../foreign/outbox.ts';
import { execItemOf } from './exec-items.ts';
import { ExecRun } from './exec-run.ts';
import type { ItemEvent } from './exec-run.ts';
import { ThreadWriter } from './thread-writer.ts';
import { readUsage, usageSince } from './usage.ts';

/** Facts about a run from outside its lines. */
export interface ExecFacts {
  /** The model, which the lines do not name. */
  readonly model?: string;
  /** The tokens that the thread had used before, as reported by its last run: every run reports the sum of all. */
  readonly usedBefore?: PlainObject;
}

/** The end of a turn, as its line tells it. */
export interface ExecEnding {
  readonly status: 'completed' | 'failed' | 'interrupted';
  /** The reason for a failure. */
  readonly message?: string;
}

/** Reads a run that may still go on. */
export interface ExecReader extends LineReader {
  /** The thread that the run has named. */
  readonly thread: string | undefined;
  /** The end of the last turn; `undefined` until there is one. */
  readonly ending: ExecEnding | undefined;
}

/** Reads the output of `codex exec --json`, of one run or of several in a row. */
export function createExecReader(facts: ExecFacts = {}): ExecReader {
  return new Reader(facts);
}

class Reader implements ExecReader {
  readonly tally = new Tally();
  readonly #facts: ExecFacts;
  readonly #outbox = new Outbox();
  readonly #writers = new Map<string, ThreadWriter>();
  #run: ExecRun | undefined;
  #thread: string | undefined;
  #total: PlainObject | undefined;
  #line = 0;
  #text = '';
  #ending: ExecEnding | undefined;

  constructor(facts: ExecFacts) {
    this.#facts = facts;
    this.#total = facts.usedBefore;
  }

  get thread(): string | undefined {
    return this.#thread;
  }

  get ending(): ExecEnding | undefined {
    return this.#ending;
  }

  push(line: string): void {
    this.#line += 1;
    this.#text = line;
    readCountedLine(line, this.tally, (object) => this.#read(object));
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    this.#run?.end(this.#line);
  }

  /** Reads one object; returns its kind if that is unknown. */
  #read(line: PlainObject): string | undefined {
    const type = textAt(line, 'type') ?? '';
    switch (type) {
      case 'thread.started':
      case 'thread.resumed':
        this.#begin(textAt(line, 'thread_id', 'threadId') ?? textAt(objectAt(line, 'data'), 'threadId'));
        return undefined;
      case 'turn.started':
        return undefined;
      case 'turn.completed':
        this.#endTurn(line);
        return undefined;
      case 'turn.failed':
        this.#fail(objectAt(line, 'error') ?? objectAt(objectAt(line, 'data'), 'error') ?? {});
        return undefined;
      case 'turn.aborted':
      case 'turn_aborted':
      case 'turn.cancelled':
      case 'turn.interrupted':
        this.#open().endTurn(this.#line, textAt(line, 'reason') ?? 'interrupted');
        this.#ending = { status: 'interrupted' };
        return undefined;
      case 'error':
        this.#open().warn(textAt(line, 'message') ?? '');
        return undefined;
      default:
        if (type.startsWith('item.')) return this.#readItem(type, line);
        return sideLines.test(type) ? undefined : type === '' ? 'line without a type' : type;
    }
  }

  #readItem(type: string, line: PlainObject): string | undefined {
    const event = itemEvents.get(type) ?? (type.endsWith('.delta') ? 'delta' : undefined);
    if (event === undefined) return type;
    const item = execItemOf(line);
    // Some versions report an item once, when it is made.
    const isDone = event === 'done' || (type === 'item.created' && isWhole(item.fields));
    return this.#open().item(isDone ? 'done' : event, item, { line: this.#line, time: timeOf(line.timestamp) });
  }

  /** Every process names its thread first, also when it continues one; the ids of its items start over. */
  #begin(thread: string | undefined): void {
    this.#run?.end(this.#line);
    this.#run = undefined;
    this.#thread = thread ?? this.#hash();
    this.#writers.get(this.#thread)?.endAnswer();
    this.#open();
  }

  #open(): ExecRun {
    if (this.#run !== undefined) return this.#run;
    this.#thread ??= this.#hash();
    const thread = this.#thread;
    let writer = this.#writers.get(thread);
    if (writer === undefined) {
      this.#outbox.conversation({ id: thread });
      writer = new ThreadWriter(this.#outbox, thread, undefined);
      writer.model = this.#facts.model ?? '';
      this.#writers.set(thread, writer);
    }
    const run = new ExecRun({ outbox: this.#outbox, tally: this.tally, thread, writer, nameOfRun: () => this.#hash() });
    this.#run = run;
    return run;
  }

  #endTurn(line: PlainObject): void {
    const run = this.#open();
    const final = textAt(objectAt(line, 'final_response'), 'text');
    if (final !== undefined) run.finalWords(final, this.#line);
    const total = objectAt(line, 'usage');
    if (total !== undefined) {
      const usage = readUsage(usageSince(total, this.#total));
      this.#total = total;
      if (usage !== undefined) run.usage({ ...usage, raw: total });
    }
    const error = objectAt(line, 'error');
    if (error === undefined) {
      run.endTurn(this.#line, undefined);
      this.#ending = { status: 'completed' };
    } else this.#fail(error);
  }

  #fail(error: PlainObject): void {
    this.#ending = { status: 'failed', message: this.#open().fail(error, this.#line) };
  }

  /** Returns a name for something that its source gives none. */
  #hash(): string {
    return `run-${createHash('sha256').update(this.#text).digest('hex').slice(0, 16)}`;
  }
}

function isWhole({ status, content, text }: PlainObject): boolean {
  if (status !== undefined && status !== null) return status === 'completed';
  return content !== undefined || text !== undefined;
}

const itemEvents: ReadonlyMap<string, ItemEvent> = new Map<string, ItemEvent>([
  ['item.created', 'grown'],
  ['item.started', 'grown'],
  ['item.updated', 'grown'],
  ['item.completed', 'done'],
]);

/** Lines that repeat others, or hold nothing that a conversation keeps. */
const sideLines =
  /^(?:turn[./](?:rate_limited|continuation|diff[./]updated|plan[./]updated|compaction[./]\w+)|thread[./](?:tokenUsage|token_usage)[./]updated)$/;

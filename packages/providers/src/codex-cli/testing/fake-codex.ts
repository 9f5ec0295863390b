import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Clock, ProcessEnd, ProcessOrder, ProcessOutput, ProcessPort, RunningProcess } from '@loom/kernel';

/** The answer of the model to a prompt, told by the fake program. */
export type FakeAnswer = (turn: FakeTurn) => Promise<void> | void;

/** A turn of the fake program: writes its session file, and says what the app-server would. */
export class FakeTurn {
  readonly id: string;
  readonly prompt: string;
  readonly #program: FakeProgram;
  readonly #thread: string;

  constructor(program: FakeProgram, thread: string, id: string, prompt: string) {
    this.#program = program;
    this.#thread = thread;
    this.id = id;
    this.prompt = prompt;
  }

  /** Writes an item for the model into the session file. */
  item(payload: PlainObject): void {
    this.#program.record(this.#thread, 'response_item', payload);
  }

  event(payload: PlainObject): void {
    this.#program.record(this.#thread, 'event_msg', payload);
  }

  notice(method: string, params: PlainObject): void {
    this.#program.say({ method, params: { threadId: this.#thread, turnId: this.id, ...params } });
  }

  /** Streams words, and writes them. */
  say(id: string, text: string): void {
    this.notice('item/agentMessage/delta', { itemId: id, delta: text.slice(0, 3) });
    this.item({ type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] });
    this.notice('item/agentMessage/delta', { itemId: id, delta: text.slice(3) });
  }

  /** Asks for approval; resolves with the answer. */
  ask(method: string, params: PlainObject): Promise<PlainObject> {
    return this.#program.ask(method, { threadId: this.#thread, turnId: this.id, ...params });
  }

  /** Ends the program in the middle of the turn. */
  die(): void {
    void this.#program.stop();
  }

  end(status = 'completed', error?: PlainObject): void {
    this.event({ type: status === 'interrupted' ? 'turn_aborted' : 'task_complete', turn_id: this.id });
    this.notice('turn/completed', { turn: { id: this.id, status, error: error ?? null } });
  }
}

/** `codex app-server` without a process. */
export class FakeProgram implements RunningProcess {
  readonly pid = 1;
  readonly printed = 0;
  readonly dropped = 0;
  readonly ended: Promise<ProcessEnd>;
  readonly #codex: FakeCodex;
  readonly #finish = Promise.withResolvers<ProcessEnd>();
  readonly #asked = new Map<unknown, (answer: PlainObject) => void>();
  #lines: string[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  #questions = 0;

  constructor(codex: FakeCodex) {
    this.#codex = codex;
    this.ended = this.#finish.promise;
  }

  get output(): AsyncIterable<ProcessOutput> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<ProcessOutput> {
    for (;;) {
      const lines = this.#lines;
      this.#lines = [];
      for (const line of lines) yield { stream: 'stdout', bytes: Buffer.from(`${line}\n`) };
      if (this.#lines.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  say(message: PlainObject): void {
    this.print(JSON.stringify(message));
  }

  print(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  ask(method: string, params: PlainObject): Promise<PlainObject> {
    const id = `q${(this.#questions += 1)}`;
    this.say({ id, method, params });
    return new Promise((resolve) => this.#asked.set(id, resolve));
  }

  record(thread: string, type: string, payload: PlainObject): void {
    this.#codex.writeLine(thread, type, payload);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const message: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (!isPlainObject(message)) return;
    const { id, method, params } = message;
    if (typeof method !== 'string') this.#asked.get(id)?.(isPlainObject(message.result) ? message.result : {});
    else if (id !== undefined) {
      const answer = this.#codex.answer(this, method, isPlainObject(params) ? params : {});
      this.say('error' in answer ? { id, error: answer.error } : { id, result: answer });
    }
  }

  endInput(): void {}

  stop(): Promise<ProcessEnd> {
    this.#isOver = true;
    this.#wake();
    this.#finish.resolve({ reason: 'stopped' });
    return this.ended;
  }
}

/** `codex exec --json`: tells when its turn begins and ends, and the last words; what was called is in the session file alone. */
class FakeExec extends FakeProgram {
  readonly #begin: (prompt: string, exec: FakeExec) => string;
  #prompt = '';

  constructor(codex: FakeCodex, begin: (prompt: string, exec: FakeExec) => string) {
    super(codex);
    this.#begin = begin;
  }

  override async write(bytes: Uint8Array): Promise<void> {
    this.#prompt += Buffer.from(bytes).toString();
  }

  override endInput(): void {
    const thread = this.#begin(this.#prompt, this);
    super.say({ type: 'thread.started', thread_id: thread });
    super.say({ type: 'turn.started' });
  }

  override say({ method, params }: PlainObject): void {
    const { turn, delta } = isPlainObject(params) ? params : {};
    if (method === 'item/agentMessage/delta')
      super.say({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `${String(delta)}…` } });
    if (method !== 'turn/completed' || !isPlainObject(turn)) return;
    if (turn.status === 'failed') super.say({ type: 'turn.failed', error: turn.error });
    else super.say({ type: 'turn.completed', usage: {} });
  }
}

/** A machine on which the fake program is installed. */
export class FakeCodex implements Pick<ProcessPort, 'spawn'> {
  readonly home: string;
  readonly methods: string[] = [];
  starts = 0;
  isLoggedIn = true;
  isInstalled = true;
  /** False for a version without `app-server`. */
  hasAppServer = true;
  /** False if it keeps no session files. */
  keepsSessions = true;
  /** False for a version that cannot read the sessions that Loom writes. */
  readsSessions = true;
  /** The arguments of every program that was started. */
  readonly orders: string[][] = [];
  readonly #answer: FakeAnswer;
  readonly #turns = new Map<string, string[]>();
  #ordinal = 0;
  #count = 0;
  #current: FakeTurn | undefined;

  constructor(home: string, answer: FakeAnswer) {
    this.home = home;
    this.#answer = answer;
  }

  async spawn({ command }: ProcessOrder): ReturnType<ProcessPort['spawn']> {
    if (!this.isInstalled)
      return { ok: false, refusal: { reason: 'program-not-found', message: 'There is no program codex.' } };
    this.starts += 1;
    const words = command.slice(1);
    this.orders.push(words);
    if (words[0] === 'exec') return { ok: true, process: this.#exec(words) };
    const process = new FakeProgram(this);
    if (words[0] === '--version') process.print('codex-cli 0.20.0');
    if (words[0] === '--version' || !this.hasAppServer) void process.stop();
    return { ok: true, process };
  }

  #exec(words: readonly string[]): FakeProgram {
    const resumed = words.includes('resume') ? words.at(-2) : undefined;
    const exec = new FakeExec(this, (prompt) => {
      const thread = resumed ?? `00000000-0000-4000-8000-00000000000${(this.#count += 1)}`;
      this.#begin(exec, thread, { input: [{ text: prompt }] });
      return thread;
    });
    if (resumed?.startsWith('0000') === false && !this.readsSessions) void exec.stop();
    return exec;
  }

  /** Adds a turn that Loom did not see. */
  goOnElsewhere(thread: string): void {
    this.#turns.get(thread)?.push('elsewhere');
  }

  path(thread: string): string {
    const sessions = join(this.home, 'sessions');
    mkdirSync(sessions, { recursive: true });
    const found = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.includes(`-${thread}`),
    );
    return join(sessions, found ?? `rollout-2026-11-18T00-00-00-${thread}.jsonl`);
  }

  writeLine(thread: string, type: string, payload: PlainObject): void {
    if (!this.keepsSessions) return;
    const path = this.path(thread);
    mkdirSync(dirname(path), { recursive: true });
    const line = { timestamp: '2026-11-18T00:00:00.000Z', ordinal: (this.#ordinal += 1), type, payload };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  }

  answer(program: FakeProgram, method: string, params: PlainObject): PlainObject {
    this.methods.push(method);
    const thread = String(params.threadId);
    switch (method) {
      case 'initialize':
        return { codexHome: this.home };
      case 'account/read':
        return { account: this.isLoggedIn ? { type: 'apiKey' } : null, requiresOpenaiAuth: true };
      case 'config/read':
        return { config: { model_provider: null } };
      case 'thread/start':
      case 'thread/fork': {
        const id = `00000000-0000-4000-8000-00000000000${(this.#count += 1)}`;
        this.#turns.set(id, []);
        return { thread: { id, path: this.path(id) } };
      }
      case 'thread/resume':
      case 'thread/read':
        return this.#turns.has(thread) || !thread.startsWith('0000')
          ? { thread: { id: thread, path: this.path(thread) } }
          : { error: { message: 'no such thread' } };
      case 'thread/turns/list':
        return { data: [{ id: this.#turns.get(thread)?.at(-1) ?? '' }] };
      case 'turn/start':
        return this.#begin(program, thread, params);
      case 'turn/interrupt':
        this.#current?.end('interrupted');
        return {};
      case 'turn/steer': {
        const text = textOf(params.input);
        this.writeLine(thread, 'response_item', {
          type: 'message',
          id: 'steered',
          role: 'user',
          content: [{ type: 'input_text', text }],
        });
        return {};
      }
      default:
        return { error: { message: `no method ${method}` } };
    }
  }

  #begin(program: FakeProgram, thread: string, params: PlainObject): PlainObject {
    const id = `turn-${(this.#count += 1)}`;
    this.#turns.set(thread, [...(this.#turns.get(thread) ?? []), id]);
    const prompt = textOf(params.input);
    const turn = new FakeTurn(program, thread, id, prompt);
    this.#current = turn;
    const content = [{ type: 'input_text', text: prompt }];
    turn.item({ type: 'message', id: `prompt-${id}`, role: 'user', content });
    setImmediate(() => void this.#answer(turn));
    return { turn: { id } };
  }
}

/** Runs what is due at once: nothing is waited for. */
export const hastyClock: Clock = {
  now: () => 0,
  after(_delay, run) {
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  },
};

function textOf(input: unknown): string {
  return (Array.isArray(input) ? input : [])
    .flatMap((part: unknown) => (isPlainObject(part) ? [String(part.text)] : []))
    .join('\n');
}

import { createExecReader } from '@loom/exchange/codex';
import { keepPictures } from '@loom/exchange/foreign';
import type { ProviderCall, ProviderEvent, ProviderRequest, SpawnRefusal } from '@loom/kernel';
import { openChannel } from '../agent-cli/index.ts';
import type { AgentProgram, LineChannel } from '../agent-cli/index.ts';
import { continuedEvent, noteOf } from './continuing.ts';
import { execPrompt, execWords } from './exec-order.ts';
import type { ExecThread } from './exec-order.ts';
import { callErrorOf, goneError } from './failures.ts';
import { HeardThread } from './heard-thread.ts';
import { findSessionFile, homeOf } from './session-file.ts';
import { openSource, sourceOfAgent } from './thread-source.ts';

/** The parts that a turn is handed. */
export interface ExecScope {
  readonly program: AgentProgram;
  readonly thread: ExecThread;
  readonly request: ProviderRequest & { directory: string };
  readonly call: ProviderCall;
}

/** The time after which the session file is looked at though nothing was printed, in milliseconds: most calls are in the file alone. */
const lookTime = 200;
/** The pause before the file is looked at again for the end of the turn, in milliseconds, and the number of such pauses. */
const pause = 25;
const mostPauses = 60;
/** The number of lines that wait before the program has to wait. */
const mostWaiting = 1_000;

/**
 * One turn of a Codex without an app-server. The lines of `codex exec --json` say when the turn begins and ends; what was said and called comes from
 * the session file, and from the lines only if there is none.
 */
export class ExecTurn {
  readonly #scope: ExecScope;
  readonly #heard: HeardThread;
  readonly #home: string;
  readonly #reader;
  #channel: LineChannel | undefined;
  #lines: string[] = [];
  #isGone = false;
  #wake: () => void = () => {};
  #hasItems = false;

  constructor(scope: ExecScope) {
    this.#scope = scope;
    this.#home = homeOf(scope.program.environment);
    this.#reader = createExecReader({ model: scope.request.model });
    this.#heard = new HeardThread(scope.call.blobs, (thread) => findSessionFile(this.#home, thread));
  }

  /** Starts the program. `isHeard` is false if it ended without a word, such as because it does not know the thread. */
  async start(): Promise<{ ok: true; isHeard: boolean } | { ok: false; refusal: SpawnRefusal }> {
    const { program, thread, request, call } = this.#scope;
    if (thread.path !== undefined) this.#heard.source = await openSource(thread.path, request.model);
    const prompt = await execPrompt(thread, request, call.blobs);
    const words = execWords(thread, request);
    call.record('request', new TextEncoder().encode(JSON.stringify({ words, prompt })));
    const opened = await openChannel(program, words, request.directory);
    if (!opened.ok) return opened;
    this.#channel = opened.channel;
    void this.#listen(opened.channel);
    void opened.channel.sendAll(prompt);
    while (this.#lines.length === 0 && !this.#isGone && !call.signal.aborted) await this.#wait();
    return { ok: true, isHeard: this.#lines.length > 0 };
  }

  async *run(): AsyncGenerator<ProviderEvent> {
    const { signal } = this.#scope.call;
    const stop = (): void => void this.#channel?.stop();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    yield continuedEvent(this.#scope.thread.continued, this.#scope.request);
    try {
      let named = this.#scope.thread.id;
      while (this.#reader.ending === undefined && !(this.#isGone && this.#lines.length === 0)) {
        await this.#wait();
        this.#hear();
        const { thread } = this.#reader;
        if (thread !== undefined && thread !== named) yield { type: 'session', source: 'codex', id: thread };
        named = thread ?? named;
        yield* this.#sync();
      }
      yield* this.#settle();
      yield* this.#finish();
    } finally {
      signal.removeEventListener('abort', stop);
      await this.#heard.close();
    }
  }

  /** Ends the program: it stays for seconds after its turn. */
  async stop(): Promise<void> {
    await this.#channel?.stop();
  }

  async #listen(channel: LineChannel): Promise<void> {
    const room = (): Promise<void> =>
      this.#lines.length < mostWaiting ? Promise.resolve() : new Promise((resolve) => (this.#makeRoom = resolve));
    const line = (text: string): void => {
      this.#lines.push(text);
      this.#wake();
    };
    const ended = (): void => {
      this.#isGone = true;
      this.#wake();
    };
    await channel.listen({ line, ended }, room);
  }

  #makeRoom: () => void = () => {};

  /** Waits for a line, for the end, or until the session file is due to be looked at. */
  async #wait(): Promise<void> {
    if (this.#lines.length > 0 || this.#isGone) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#scope.program.clock.after(lookTime, resolve);
    await promise;
    cancel();
  }

  #hear(): void {
    const lines = this.#lines;
    this.#lines = [];
    this.#makeRoom();
    for (const line of lines) {
      this.#scope.call.record('response', new TextEncoder().encode(`${line}\n`));
      this.#reader.push(line);
    }
  }

  async *#sync(): AsyncGenerator<ProviderEvent> {
    const { thread } = this.#reader;
    if (this.#heard.source === undefined && thread !== undefined) {
      const path = await findSessionFile(this.#home, thread);
      if (path !== undefined) this.#heard.source = sourceOfAgent(path);
    }
    for await (const event of this.#heard.sync()) {
      this.#hasItems ||= event.type === 'block' || event.type === 'named';
      yield event;
    }
  }

  /** Waits until the end of the turn is in the session file. Without a file the lines count. */
  async *#settle(): AsyncGenerator<ProviderEvent> {
    const { call, program } = this.#scope;
    const most = call.signal.aborted || this.#isGone ? 12 : mostPauses;
    for (let tries = 0; tries < most; tries += 1) {
      yield* this.#sync();
      if (this.#heard.source?.endedTurn !== undefined) return;
      await new Promise<void>((resolve) => void program.clock.after(pause, resolve));
    }
    if (this.#hasItems) return;
    this.#reader.end();
    yield* this.#heard.live.take(await keepPictures(this.#reader.take(), call.blobs));
  }

  *#finish(): Generator<ProviderEvent> {
    const { thread, call } = this.#scope;
    const { ending, thread: id = '' } = this.#reader;
    yield* this.#heard.finish();
    if (ending === undefined && !call.signal.aborted) {
      yield { type: 'call-error', error: goneError(this.#channel ?? { complaints: '' }) };
      return;
    }
    const open = { id, path: thread.path, continued: thread.continued, through: 'exec' } as const;
    yield { type: 'note', data: noteOf(open, this.#heard.source?.endedTurn ?? '', this.#heard.live.lastText) };
    if (ending?.status === 'failed') {
      const message = ending.message ?? 'The turn failed.';
      yield { type: 'call-error', error: callErrorOf({ message, kind: undefined, status: undefined }) };
    } else yield { type: 'call-end', reason: ending?.status === 'completed' ? 'stop' : 'other' };
  }
}

import type { PlainObject } from '@loom/blocks';
import { readServerLine } from '@loom/exchange/codex';
import type { ServerLine } from '@loom/exchange/codex';
import type { SpawnRefusal } from '@loom/kernel';
import { openChannel } from '../agent-cli/index.ts';
import type { AgentProgram, LineChannel, WarmProcess } from '../agent-cli/index.ts';

/** Codex refused a request. */
export class ServerRefusal extends Error {}

/** Codex has ended; `complaints` is the end of its error output. */
export class ServerGone extends Error {
  readonly complaints: string;
  readonly exit: number | string | undefined;

  constructor({ complaints, exit }: Pick<LineChannel, 'complaints' | 'exit'>) {
    super('Codex has ended.');
    this.complaints = complaints;
    this.exit = exit;
  }
}

/** A line for a listener, or the end of the program. */
export type ServerNews =
  | { readonly type: 'line'; readonly line: ServerLine; readonly text: string }
  | { readonly type: 'gone' };

/** The number of lines that wait for their listener before the program has to wait. */
const mostWaiting = 1_000;

/** `codex app-server`: requests, their answers, and everything that it says in between. */
export class AppServer implements WarmProcess {
  readonly #channel: LineChannel;
  readonly #asked = new Map<
    number | string,
    { resolve: (result: PlainObject) => void; reject: (error: Error) => void }
  >();
  #news: ServerNews[] = [];
  #wake: (() => void) | undefined;
  #makeRoom: (() => void) | undefined;
  #count = 0;
  #isGone = false;
  /** The folder that Codex keeps its sessions in. */
  home: string | undefined;
  /** The threads that it has in memory, with their last turns as far as they are known. */
  readonly threads = new Map<string, string | undefined>();

  private constructor(channel: LineChannel) {
    this.#channel = channel;
    void channel.listen({ line: (text) => this.#hear(text), ended: () => this.#end() }, () =>
      this.#news.length < mostWaiting ? Promise.resolve() : new Promise((resolve) => (this.#makeRoom = resolve)),
    );
  }

  /** Starts the program and greets it. It is ended when `signal` is aborted, whether or not it has answered by then. */
  static async start(
    program: AgentProgram,
    directory: string,
    { version, signal }: { version: string; signal?: AbortSignal },
  ): Promise<{ ok: true; server: AppServer } | { ok: false; refusal: SpawnRefusal }> {
    const opened = await openChannel(program, ['app-server'], directory);
    if (!opened.ok) return opened;
    const server = new AppServer(opened.channel);
    const stop = (): void => void server.stop();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    const clientInfo = { name: 'loom', title: 'Loom', version };
    try {
      const { codexHome } = await server.ask('initialize', { clientInfo });
      server.home = typeof codexHome === 'string' ? codexHome : undefined;
    } catch (error) {
      await server.stop();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
    server.#channel.send({ method: 'initialized' });
    return { ok: true, server };
  }

  get isOver(): boolean {
    return this.#isGone || this.#channel.isOver;
  }

  /** Nothing goes on in it once its turn has ended. */
  get isBusy(): boolean {
    return false;
  }

  /** The failure of everything that is asked of it after its end. */
  get gone(): ServerGone {
    return new ServerGone(this.#channel);
  }

  /** Asks for something. Rejects with a `ServerRefusal`, or with `ServerGone` if the program ends before it answers. */
  ask(method: string, params: PlainObject): Promise<PlainObject> {
    if (this.isOver) return Promise.reject(this.gone);
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<PlainObject>();
    this.#asked.set(id, { resolve, reject });
    this.#channel.send({ method, id, params });
    return promise;
  }

  /** Answers a request of the program. */
  answer(id: number | string, result: PlainObject): void {
    this.#channel.send({ id, result });
  }

  refuse(id: number | string, message: string): void {
    this.#channel.send({ id, error: { code: -32_601, message } });
  }

  /** Returns everything that was said since the last call; waits for the first of it. */
  async next(): Promise<ServerNews[]> {
    if (this.#news.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const news = this.#news;
    this.#news = [];
    this.#makeRoom?.();
    this.#makeRoom = undefined;
    return news;
  }

  /** Lets `next` return, also without news. */
  nudge(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Forgets what was said before a turn. */
  drop(): void {
    this.#news = this.#news.filter(({ type }) => type === 'gone');
  }

  async stop(): Promise<void> {
    await this.#channel.stop();
  }

  #hear(text: string): void {
    const line = readServerLine(text);
    if (line.type === 'answer' || line.type === 'refusal') {
      const asked = this.#asked.get(line.id);
      this.#asked.delete(line.id);
      if (line.type === 'answer') asked?.resolve(line.result);
      else asked?.reject(new ServerRefusal(line.message));
      return;
    }
    this.#push({ type: 'line', line, text });
  }

  #push(news: ServerNews): void {
    this.#news.push(news);
    this.nudge();
  }

  #end(): void {
    this.#isGone = true;
    const { gone } = this;
    for (const { reject } of this.#asked.values()) reject(gone);
    this.#asked.clear();
    this.#push({ type: 'gone' });
  }
}

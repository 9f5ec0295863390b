import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { factOf } from '@loom/exchange/codex';
import type { CodexError, LiveThread, ServerFact, TurnEnd } from '@loom/exchange/codex';
import type { Clock, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { DecidedCalls } from '../agent-cli/index.ts';
import { ServerGone } from './app-server.ts';
import type { AppServer, ServerNews } from './app-server.ts';
import { continuedEvent, noteOf } from './continuing.ts';
import type { OpenThread } from './continuing.ts';
import { AsideQuestions } from './aside-questions.ts';
import { callErrorOf, goneError } from './failures.ts';
import { HeardThread } from './heard-thread.ts';
import { branchAsText, inputOf, textInput, waitingBlocks } from './input.ts';
import { modeOf, sandboxPolicy } from './modes.ts';
import { readQuestion } from './questions.ts';
import { findSessionFile } from './session-file.ts';
import { openSource } from './thread-source.ts';

/** The parts that a turn is handed. */
export interface TurnScope {
  readonly server: AppServer;
  readonly thread: OpenThread;
  readonly request: ProviderRequest;
  readonly call: ProviderCall;
  readonly clock: Clock;
}

/** The pause before a session file is looked at again for something that was announced, in milliseconds. */
const pause = 25;
/** The number of such pauses. */
const mostPauses = 60;
/** The time that an interrupted turn has to end before its program is ended, in milliseconds. */
const interruptTime = 1_500;

/** One turn of Codex in a thread, as the events of a provider. */
export class CodexTurn {
  readonly #scope: TurnScope;
  readonly #heard: HeardThread;
  readonly #paths = new Map<string, string>();
  /** The items of the turn as they were told when they began. */
  readonly #items = new Map<string, PlainObject>();
  /** Items that were announced, and are not in the session file yet. */
  readonly #awaited = new Set<string>();
  readonly #decided: DecidedCalls;
  readonly #asides: AsideQuestions;
  /** The calls about which a server has asked. */
  readonly #asked = new Set<string>();
  #turn = '';
  #end: TurnEnd | undefined;
  #error: CodexError | undefined;
  #pauses = 0;
  #retries = 0;

  constructor(scope: TurnScope) {
    this.#scope = scope;
    this.#decided = new DecidedCalls(scope.call);
    this.#asides = new AsideQuestions(scope, () => this.#live.isWriting);
    this.#heard = new HeardThread(scope.call.blobs, (thread) => this.#fileOf(thread));
  }

  get #live(): LiveThread {
    return this.#heard.live;
  }

  /** True if the program can be used for another turn. What an interrupted turn has started may still run: it ends with the program. */
  get isWhole(): boolean {
    const { server, call } = this.#scope;
    return this.#end !== undefined && this.#end.status !== 'interrupted' && !call.signal.aborted && !server.isOver;
  }

  async *run(): AsyncGenerator<ProviderEvent> {
    const { server, thread, call } = this.#scope;
    yield continuedEvent(thread.continued, this.#scope.request);
    yield { type: 'session', source: 'codex', id: thread.id };
    this.#heard.source = await openSource(thread.path, this.#scope.request.model);
    server.drop();
    const leave = this.#stopWith(call.signal);
    let steering: { stop(): void } | undefined;
    try {
      await this.#start();
      if (call.signal.aborted) this.#interrupt();
      steering = this.#steer();
      while (this.#end === undefined) {
        for (const news of await server.next()) yield* this.#hear(news);
        yield* this.#sync();
        yield* this.#asides.ask();
        this.#lookAgain();
      }
      yield* this.#settle();
      yield* this.#finish();
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error;
      yield* this.#settle();
      yield* this.#heard.finish();
      yield { type: 'call-error', error: goneError(error) };
    } finally {
      leave();
      steering?.stop();
      await this.#heard.close();
    }
  }

  async #start(): Promise<void> {
    const { server, thread, request, call } = this.#scope;
    const mode = modeOf(request.approvalMode);
    const blocks = waitingBlocks(request.messages);
    const before = thread.continued === 'text' ? [textInput(branchAsText(request.messages))] : [];
    const effort = request.settings['reasoning'] ?? request.settings['effort'];
    const params: PlainObject = {
      threadId: thread.id,
      input: [...before, ...(await inputOf(blocks, call.blobs))],
      ...(request.model === 'default' ? {} : { model: request.model }),
      ...(typeof effort === 'string' ? { effort } : {}),
      approvalPolicy: mode.approvalPolicy,
      sandboxPolicy: sandboxPolicy(mode),
    };
    call.record('request', new TextEncoder().encode(JSON.stringify(params)));
    const { turn } = await server.ask('turn/start', params);
    this.#turn = isPlainObject(turn) && typeof turn.id === 'string' ? turn.id : '';
    server.threads.set(thread.id, this.#turn);
  }

  /** Interrupts the turn when it is stopped; a program that does not obey is ended. */
  #stopWith(signal: AbortSignal): () => void {
    const { server, clock } = this.#scope;
    let cancel = (): void => {};
    const stop = (): void => {
      cancel = clock.after(interruptTime, () => void server.stop());
      this.#interrupt();
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    return () => {
      cancel();
      signal.removeEventListener('abort', stop);
    };
  }

  /** Interrupts the turn, once it has begun. */
  #interrupt(): void {
    const { server, thread } = this.#scope;
    if (this.#turn === '') return;
    server.ask('turn/interrupt', { threadId: thread.id, turnId: this.#turn }).catch(() => {});
  }

  /** Passes on the messages of people that come while Codex speaks. */
  #steer(): { stop(): void } {
    const { server, thread, call } = this.#scope;
    let isOver = false;
    const pass = async (): Promise<void> => {
      for await (const { id, blocks } of call.steering) {
        if (isOver) return;
        this.#live.steered(id);
        const input = await inputOf(blocks, call.blobs);
        const params = { threadId: thread.id, expectedTurnId: this.#turn, input };
        // A message that comes too late is said after the turn.
        await server.ask('turn/steer', params).catch(() => this.#live.unsteered(id));
      }
    };
    pass().catch(() => {});
    return { stop: () => (isOver = true) };
  }

  async *#hear(news: ServerNews): AsyncGenerator<ProviderEvent> {
    const { server, call } = this.#scope;
    if (news.type === 'gone') {
      // A program that ends right after its turn has said all of it.
      if (this.#end !== undefined) return;
      throw server.gone;
    }
    call.record('response', new TextEncoder().encode(`${news.text}\n`));
    const { line } = news;
    if (line.type === 'notice') yield* this.#fact(factOf(line.method, line.params));
    else if (line.type === 'request') yield* this.#request(line.id, line.method, line.params);
  }

  async *#fact(fact: ServerFact): AsyncGenerator<ProviderEvent> {
    if (fact.type === 'thread') {
      if (fact.path !== undefined) this.#paths.set(fact.thread, fact.path);
      return;
    }
    if (fact.type === 'idle' || fact.type === 'unknown') return;
    if (fact.thread !== this.#scope.thread.id) {
      if (fact.type === 'item' && typeof fact.item.id === 'string') this.#items.set(fact.item.id, fact.item);
      if ('thread' in fact && fact.type === 'words') yield* this.#heard.growAgent(fact.thread, fact);
      return;
    }
    this.#heard.source?.hear(fact);
    switch (fact.type) {
      case 'words':
        if (!this.#live.isOpen(fact.item)) yield* this.#sync();
        yield* this.#live.grow(fact, this.#heard.source?.speaking);
        return;
      case 'output': {
        // The call may have been announced in the same piece of output: it is read first, or its output would be dropped.
        if (!this.#live.hasCall(fact.call)) yield* this.#sync();
        const { command } = this.#items.get(fact.call) ?? {};
        yield* this.#live.output({
          call: fact.call,
          command: typeof command === 'string' ? command : '',
          text: fact.text,
        });
        return;
      }
      case 'item':
        this.#noteItem(fact.item, fact.isDone);
        return;
      case 'retrying':
        this.#retries += 1;
        yield { type: 'retrying', attempt: this.#retries, delay_ms: 0, reason: fact.message };
        return;
      case 'error':
        this.#error = fact.error;
        return;
      case 'turn-ended':
        if (fact.turn === this.#turn || this.#turn === '') this.#end = fact;
        return;
      default:
        return;
    }
  }

  #noteItem(item: PlainObject, isDone: boolean): void {
    const { id, type } = item;
    if (typeof id !== 'string') return;
    this.#items.set(id, item);
    const isSpoken = type === 'agentMessage' || type === 'reasoning';
    if (isSpoken ? isDone : !isDone && type !== 'userMessage') this.#awaited.add(id);
    this.#pauses = 0;
  }

  /** Puts a question of Codex to a person, while it goes on speaking. */
  async *#request(id: number | string, method: string, params: PlainObject): AsyncGenerator<ProviderEvent> {
    const { server } = this.#scope;
    const question = readQuestion(method, params, this.#items.get(String(params.itemId)));
    if (question === undefined) {
      if (method === 'mcpServer/elicitation/request')
        server.answer(id, { action: 'decline', content: null, _meta: null });
      else server.refuse(id, `Loom does not answer ${method}.`);
      return;
    }
    if (typeof params.threadId === 'string' && params.threadId !== this.#scope.thread.id) {
      this.#asides.add({ id, from: params.threadId, method, params, question });
      yield* this.#asides.ask();
      return;
    }
    // The call is in the session file before its question is asked; it may be a moment late.
    const { call: named } = question;
    const isKnown = (): boolean => (named === undefined ? this.#live.openCalls.length > 0 : this.#live.hasCall(named));
    for (let tries = 0; tries < mostPauses && !isKnown(); tries += 1) {
      yield* this.#sync();
      if (!isKnown()) await this.#pause();
    }
    // The calls of a program that the model wrote are asked about under the program's own call.
    const call = named !== undefined && this.#live.hasCall(named) ? named : this.#live.openCalls.at(-1);
    if (call === undefined) server.answer(id, question.refusal);
    else if (named === undefined && this.#asked.has(call)) {
      // A server may ask several things about one call.
      this.#asides.add({ id, from: undefined, method, params, question });
      yield* this.#asides.ask();
    } else {
      this.#asked.add(call);
      void this.#decide(id, call, question);
    }
  }

  async #decide(
    id: number | string,
    asked: string,
    question: NonNullable<ReturnType<typeof readQuestion>>,
  ): Promise<void> {
    const { server } = this.#scope;
    try {
      // Codex asks again about a call, such as to run it outside of the sandbox: that was not decided.
      const approval = await this.#decided.decide(asked, JSON.stringify(question.ask), question.ask);
      if (approval?.decision === 'denied') this.#live.deny(asked);
      server.answer(id, approval === undefined ? question.refusal : question.reply(approval));
    } catch {
      server.answer(id, question.refusal);
    }
  }

  /** Reads the session files on. */
  async *#sync(): AsyncGenerator<ProviderEvent> {
    yield* this.#heard.sync();
    for (const id of this.#awaited) if (this.#live.hasCall(id) || this.#live.isComplete(id)) this.#awaited.delete(id);
  }

  async #fileOf(thread: string): Promise<string | undefined> {
    const { server, thread: own } = this.#scope;
    const told = this.#paths.get(thread);
    return told ?? (server.home === undefined ? undefined : findSessionFile(server.home, thread, own.path));
  }

  /** Looks at the file again where something that was announced is not in it. */
  #lookAgain(): void {
    if (this.#awaited.size === 0 || this.#pauses >= mostPauses) return;
    this.#pauses += 1;
    this.#scope.clock.after(pause, () => this.#scope.server.nudge());
  }

  /** Waits until the end of the turn is in the session file. */
  async *#settle(): AsyncGenerator<ProviderEvent> {
    const most = this.#scope.call.signal.aborted || this.#scope.server.isOver ? 12 : mostPauses;
    for (let tries = 0; tries < most; tries += 1) {
      yield* this.#sync();
      if (this.#heard.source?.endedTurn === this.#turn) return;
      await this.#pause();
    }
  }

  *#finish(): Generator<ProviderEvent> {
    const { thread } = this.#scope;
    yield* this.#heard.finish();
    yield { type: 'note', data: noteOf(thread, this.#turn, this.#live.lastText) };
    if (this.#end?.status === 'failed') {
      const error = this.#end.error ??
        this.#error ?? { message: 'The turn failed.', kind: undefined, status: undefined };
      yield { type: 'call-error', error: callErrorOf(error) };
    } else yield { type: 'call-end', reason: this.#end?.status === 'interrupted' ? 'other' : 'stop' };
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#scope.clock.after(pause, resolve));
  }
}

import { z } from 'zod';
import { CallRecorder } from '../calls/call-recorder.ts';
import { isToBeContinued } from './continuation.ts';
import { buildContext } from '../context/context.ts';
import { lostTokens } from '../context/heard-tokens.ts';
import type { FeedEvent } from '../state/feed.ts';
import { isoTime } from '../iso-time.ts';
import type { FeedItem } from '../log/log-shape.ts';
import type { NodeState } from '../state/node-state.ts';
import { ask as askSchema } from '../op.ts';
import type { Ask, RootConfig } from '../op.ts';
import type { Approval, Provider, ProviderCall, ProviderRequest, ToolDescription } from '../provider.ts';
import type { ApprovalState, RootState, TurnState } from '../state/root-state.ts';
import { modeOf, surroundingsOf } from '../root-settings.ts';
import { createStopController } from './stop-controller.ts';
import { toldApproval } from './deciding/approval-params.ts';
import { DecisionWaiters } from './deciding/decision-waiters.ts';
import { noSessions, openBranchSession } from './speaking/branch-session.ts';
import { CallListener } from './speaking/call-listener.ts';
import { openChild } from './speaking/child-conversation.ts';
import { MessageWriter } from './speaking/message-writer.ts';
import { fullError, outputRoom, readSettings, roomForShortened, whyUnfinished } from './room/output-room.ts';
import { listenTo, unheeded, type CallFailure, type HeardEvent, type Speaker } from './speaking/provider-door.ts';
import { Steering } from './speaking/steering.ts';
import { describeTools, headFor, requestFor, sourceOf } from './speaking/turn-request.ts';
import { decideAccept, decideAsk, decideDrop } from './room/summary.ts';
import { CallLimit, isOverspent } from './spending/call-limit.ts';
import { overLimit } from './spending/spending-limits.ts';
import { StopPatience } from './stop-patience.ts';
import { surroundingsOfCalls } from './tools/call-surroundings.ts';
import { addWaitingCalls, askPerson, runCalls } from './tools/tool-round.ts';
import { callsOf, isAnswered } from './speaking/own-messages.ts';
import { decideCloseCalls, decideEnd, hasOpenCalls, nodesOfTurn } from './turn-decisions.ts';
import type { EndReason } from './turn-decisions.ts';
import { TurnStopped, TurnWriter } from './turn-writer.ts';
import type { TurnEnvironment } from './turn-environment.ts';
import { decideTakeSteering } from './waiting-messages.ts';

/**
 * Runs one turn: speaks, runs the calls, speaks again, until nothing is called. Whatever happens, the turn ends in the log,
 * by this runner or by the process that stopped it.
 */
export class TurnRunner {
  readonly #environment: TurnEnvironment;
  readonly #writer: TurnWriter;
  readonly #stop = createStopController();
  readonly #patience: StopPatience;
  readonly #decisions = new DecisionWaiters();
  readonly #unsubscribe: () => void;
  /** The messages to the call that is under way. */
  #steering: Steering | undefined;
  /** The turn's own messages, each node frozen when it was complete: edits made meanwhile are for the next turn. */
  readonly #own = new Map<string, NodeState>();
  /** The stream of an agent that has begun the turn, until it is listened to. */
  #begun: Provider['stream'] | undefined;

  constructor(environment: TurnEnvironment) {
    this.#environment = environment;
    this.#begun = environment.begun;
    this.#writer = new TurnWriter(environment);
    this.#patience = new StopPatience(this.#stop.signal, environment.clock);
    this.#unsubscribe = environment.log.subscribe((item) => this.#hear(item));
  }

  /** Runs to the end; returns how it ended. Rejects only when the store fails. */
  async run(): Promise<EndReason | 'stopped'> {
    try {
      return await this.#rounds();
    } catch (error) {
      if (error instanceof TurnStopped) return 'stopped';
      throw error;
    } finally {
      this.#stop.abort();
      this.#unsubscribe();
    }
  }

  /** True if it cannot end without a person's decision. */
  get isWaiting(): boolean {
    return this.#decisions.isAsking;
  }

  /** Stops speaking and running; the words so far are written, if the store takes them soon. The caller logs the end of the turn. */
  async halt(): Promise<void> {
    const { clock, patience } = this.#environment;
    const cancel = clock.after(haltTime, () => patience.end());
    await this.#writer.release().catch(() => {});
    cancel();
    this.#stopWith('halted');
  }

  /** Stops because the turn may belong to another process by now: a store that fails is no longer waited for. */
  async loseLease(): Promise<void> {
    this.#environment.patience.end();
    await this.halt();
  }

  async #rounds(): Promise<EndReason> {
    let waiting = await this.#capture();
    for (;;) {
      if (waiting.length > 0) {
        await this.#runCalls(waiting);
        await this.#capture();
        if (this.#environment.provider.callsOnly === true) return this.#end('done');
        if (callsOf(this.#own.values()) >= this.#turn(await this.#writer.state()).maxRounds)
          return this.#end('max-rounds');
      } else {
        const ended = await this.#speak();
        if (ended !== undefined) return this.#end(ended.reason, ended.error);
        await this.#capture();
        await addWaitingCalls(this.#writer);
      }
      waiting = await this.#capture();
      if (waiting.length === 0 && !(await this.#takeSteering()) && isAnswered([...this.#own.values()]))
        return this.#end('done');
      await this.#capture();
    }
  }

  /**
   * Freezes the nodes that the turn has written and completed since the last time; returns the calls that wait to be run.
   */
  async #capture(): Promise<string[]> {
    const state = await this.#writer.state();
    const nodes = nodesOfTurn(state, this.#turn(state));
    const frozen = new Map(this.#own);
    this.#own.clear();
    // In the order of the path: of two calls the second may have been answered first, in another process.
    for (const node of nodes) {
      if (node.tool !== 'waiting' && node.tool !== 'running') this.#own.set(node.id, frozen.get(node.id) ?? node);
    }
    return nodes.flatMap((node) => (node.tool === 'waiting' ? [node.id] : []));
  }

  #turn(state: RootState): TurnState {
    const turn = state.turns.get(this.#environment.turn);
    if (turn === undefined) throw new TurnStopped('turn-not-found');
    if (turn.ended !== undefined) throw new TurnStopped('turn-ended');
    return turn;
  }

  /** Calls the model once. Returns the reason that the turn is over, if it is. */
  async #speak(mayCompact = true): Promise<CallEnd | undefined> {
    const { hash, base, provider } = this.#environment;
    const config = this.#shownConfig();
    const turn = this.#turn(await this.#writer.state());
    const head = headFor(config, turn, this.#describeTools(turn));
    const path = [...base, ...this.#own.values()];
    const context = buildContext(path, head, hash);
    const place = [...this.#own.keys()].at(-1) ?? turn.node;
    const isBegun = this.#begun !== undefined;
    const continues = !isBegun && this.#own.size === 0 && isToBeContinued(base.at(-1));
    const { chain } = context;
    const message = new MessageWriter(this.#writer, {
      place,
      source: sourceOf(turn),
      provider: turn.provider,
      chain,
      continues,
    });
    // The first words of an agent that has begun the turn are paid for already: it is judged once it speaks.
    const limited = isBegun ? undefined : await overLimit(this.#environment, turn, [...this.#own.values()]);
    if (limited !== undefined) return this.#failWith(message, limited, 'limit');
    const { settings, ...wishes } = readSettings(turn.settings);
    const scope = { ...this.#environment, path, head };
    const { room, messages } =
      wishes.onNoRoom === 'shorten'
        ? await roomForShortened(context, wishes, scope)
        : { room: await outputRoom(context, wishes, scope), messages: context.messages };
    // An agent that has begun to speak needs no room: it has read what it answers.
    if (!room.ok && !isBegun && provider.callsOnly !== true) {
      if (room.error.code !== 'no-room') return this.#failWith(message, room.error);
      const mayGoOn = mayCompact && wishes.onNoRoom === 'compact' && !continues && provider.runsTools !== true;
      const why = mayGoOn ? await this.#compact(turn, path) : undefined;
      if (mayGoOn && why === undefined) return this.#speak(false);
      return this.#failWith(message, fullError(room.error.message, why), 'no-room');
    }
    message.expectInput(room.ok ? room.inputTokens : 0, lostTokens(path, head, context.invalid));
    if (context.leftOut.length > 0) message.note({ left_out: context.leftOut });
    const limit = room.ok && room.maxTokens !== undefined ? { maxTokens: room.maxTokens } : {};
    const request = requestFor(this.#environment, head, path, {
      node: place,
      messages,
      ...limit,
      settings,
      invalid: context.invalid,
    });
    const recorder = new CallRecorder();
    try {
      return await this.#hearOut(request, message, recorder);
    } finally {
      this.#keep(request, message, recorder);
    }
  }

  /**
   * Lets the model sum up the conversation so far, so that there is room again: the turn goes on from the summary. A summary
   * that does not reach its end changes nothing. Returns the reason that there is no summary, if there is none.
   */
  async #compact(turn: TurnState, path: readonly NodeState[]): Promise<string | undefined> {
    const { hash, turn: id, agent, config } = this.#environment;
    const scope = { turn: id, agent };
    const last = path.at(-1);
    const ask = await this.#writer.write(z.string(), (state) => decideAsk(state, scope, last?.id ?? turn.node));
    const asked = (await this.#writer.state()).nodes.get(ask);
    const head = headFor(config, turn, []);
    const shown = asked === undefined ? path : [...path, asked];
    const context = buildContext(shown, head, hash);
    // The model is to sum up, not to think; and a limit on the length of answers does not apply to summaries.
    const { reasoning: _reasoning, ...settings } = readSettings(turn.settings).settings;
    const wishes = { maxTokens: undefined };
    const { room, messages } = await roomForShortened(context, wishes, { ...this.#environment, path, head });
    const { provider } = turn;
    const origin = { place: ask, source: sourceOf(turn), provider, chain: context.chain, isAside: true };
    const message = new MessageWriter(this.#writer, origin);
    let why = room.ok ? undefined : room.error.message;
    if (room.ok) {
      message.expectInput(room.inputTokens);
      const limit = room.maxTokens === undefined ? {} : { maxTokens: room.maxTokens };
      const { invalid } = context;
      const request = requestFor(this.#environment, head, shown, { node: ask, messages, ...limit, settings, invalid });
      const recorder = new CallRecorder();
      const failure = await this.#listen(request, message, recorder).finally(() =>
        this.#keep(request, message, recorder),
      );
      await this.#writer.flush();
      if (this.#stop.signal.aborted) throw new TurnStopped('halted');
      why = failure?.message ?? whyUnfinished(message.finishReason, message.isSilent);
    }
    const summary = why === undefined ? message.nodes.at(-1) : undefined;
    await this.#writer.write(z.null(), (state) =>
      summary === undefined ? decideDrop(ask) : decideAccept(state, scope, { ask, summary, last }),
    );
    await this.#capture();
    return why;
  }

  /** An agent that runs its own tools is not told about those of Loom. */
  #shownConfig(): RootConfig {
    const { config, provider } = this.#environment;
    const { agent_prompt: _prompt, ...own } = config;
    return provider.runsTools === true ? own : config;
  }

  /** Makes a call, and writes what is said in it. Returns the reason that the turn is over, if it is. */
  async #hearOut(
    request: ProviderRequest,
    message: MessageWriter,
    recorder: CallRecorder,
  ): Promise<CallEnd | undefined> {
    const { provider } = this.#environment;
    const failure = await this.#listen(request, message, recorder);
    await this.#writer.flush();
    if (this.#stop.signal.aborted) throw new TurnStopped('halted');
    if (isOverspent(failure)) return this.#stopAtLimit(failure);
    if (failure === undefined && !message.isSilent) return undefined;
    // A call without a word would be made again and again.
    const silent = {
      code: 'empty-answer' as const,
      message: `The provider ${provider.id} ended its answer without a word.`,
    };
    return this.#failWith(message, failure ?? silent);
  }

  /** Ends what an agent had begun when it was stopped, and says why below all of it: there a person is asked. */
  async #stopAtLimit(failure: CallFailure): Promise<CallEnd> {
    const { hash, base, turn: id } = this.#environment;
    await this.#writer.write(z.null(), (state) => decideCloseCalls(state, id));
    await this.#capture();
    const turn = this.#turn(await this.#writer.state());
    const { chain } = buildContext([...base, ...this.#own.values()], headFor(this.#shownConfig(), turn, []), hash);
    const place = [...this.#own.keys()].at(-1) ?? turn.node;
    const origin = { place, source: sourceOf(turn), provider: turn.provider, chain };
    return this.#failWith(new MessageWriter(this.#writer, origin), failure, 'limit');
  }

  async #failWith(
    message: MessageWriter,
    failure: CallFailure,
    reason: 'error' | 'no-room' | 'limit' = 'error',
  ): Promise<CallEnd> {
    await message.fail(failure);
    await this.#writer.flush();
    return { reason, error: { code: failure.code, message: failure.message } };
  }

  /** Follows the provider's events to the last one, `call-end` or `call-error`. Returns what went wrong, if something did. */
  async #listen(
    request: ProviderRequest,
    message: MessageWriter,
    recorder: CallRecorder,
  ): Promise<CallFailure | undefined> {
    const { provider, forest, leases, hash, config } = this.#environment;
    const { model } = request;
    const children = { forest, leases, hash, parent: this.#environment, provider: provider.id, model };
    const { directory } = surroundingsOf(config);
    const scope = directory === undefined ? children : { ...children, directory };
    const listener = new CallListener(this.#writer, message, (asked) => openChild(scope, asked));
    let isFirstOfBegun = this.#begun !== undefined;
    const steering = await this.#openSteering();
    const { log, patience } = this.#environment;
    recorder.epoch = (await patience.retry(() => log.cursor())).epoch;
    const limit = new CallLimit(this.#environment, this.#stop.signal);
    const call = this.#callFor(request, limit.signal, { message, steering, recorder });
    let ended: 'done' | 'error' | 'interrupted' = 'interrupted';
    try {
      let heard = 0;
      for await (const event of listenTo(this.#speaker(), request, call, limit.patience)) {
        heard += 1;
        // A provider that never waits would keep everything else in the process waiting.
        if (heard % eventsUntilPause === 0) await this.#pause();
        // Lines that an agent writes because it was stopped have names too.
        if (limit.signal.aborted && provider.runsTools === true) {
          await listener.hearLate(event);
          continue;
        }
        this.#writer.check();
        if (this.#stop.signal.aborted) throw new TurnStopped('halted');
        const end = await listener.hear(event);
        if (end !== undefined) {
          ended = end.failure === undefined ? 'done' : 'error';
          return end.failure;
        }
        if (provider.runsTools === true && (event.type === 'usage' || isFirstOfBegun))
          await this.#judge(limit, message, event);
        isFirstOfBegun = false;
        await this.#writer.keepUp();
      }
      return limit.reached;
    } catch (error) {
      // An agent that was told to stop at a limit, and does not, is left behind: the turn itself ends in its own way.
      if (error instanceof TurnStopped && !this.#stop.signal.aborted && limit.reached !== undefined)
        return limit.reached;
      throw error;
    } finally {
      limit.end();
      this.#steering = undefined;
      steering.end();
      message.close();
      await listener.close(ended);
    }
  }

  /** Compares what an agent has spent so far with the limits: one call of an agent is a whole turn, so it is judged while it works. */
  async #judge(limit: CallLimit, message: MessageWriter, event: HeardEvent): Promise<void> {
    await this.#writer.flush();
    const state = await this.#writer.state();
    const turn = this.#turn(state);
    // Money for a complete answer is spent: there is nothing to stop, and nothing to ask.
    if (event.type === 'usage' && !hasOpenCalls(state, turn)) return;
    const usage = event.type === 'usage' ? event.usage : undefined;
    const reached = await limit.judge(turn, [...this.#own.values()], usage);
    if (reached === undefined) return;
    // Nothing that still waits for a person will be run.
    this.#decisions.end('halted');
    message.finish('error');
  }

  /** The provider, or what an agent that has begun the turn says, once. */
  #speaker(): Speaker {
    const { provider } = this.#environment;
    const stream = this.#begun;
    this.#begun = undefined;
    return stream === undefined ? provider : { id: provider.id, runsTools: provider.runsTools === true, stream };
  }

  /** Collects the messages of people to the turn, those so far and those that come while its provider speaks. */
  async #openSteering(): Promise<Steering> {
    const steering = new Steering();
    const { waiting } = await this.#writer.state();
    for (const message of waiting.values()) {
      if (message.turn === this.#environment.turn && message.kind === 'steer') steering.push(message);
    }
    this.#steering = steering;
    return steering;
  }

  #callFor({ trail }: ProviderRequest, signal: AbortSignal, { message, steering, recorder }: CallParts): ProviderCall {
    const { blobs, turn, sessions = noSessions } = this.#environment;
    const path = trail.map(({ node }) => node);
    return {
      turn,
      signal,
      blobs,
      steering,
      decide: (call, ask) => unheeded(this.#decideFor(message, signal, { call, ask })),
      session: (format, options) => unheeded(openBranchSession(this.#writer, sessions, path, format, options)),
      record: (part, bytes) => recorder.record(part, bytes),
    };
  }

  /** Puts the question of a call that the provider runs itself to a person. */
  async #decideFor(
    message: MessageWriter,
    signal: AbortSignal,
    { call, ask }: { call: string; ask: Ask },
  ): Promise<Approval> {
    const asked = askSchema.parse(ask);
    const node = await message.nodeToAskAbout(call);
    await askPerson(this.#writer, node, asked);
    const approval = await this.#decision(node, signal);
    const state = approval.decision === 'denied' ? 'denied' : 'running';
    await message.setCallState({ type: 'tool-state', call, state });
    if (asked.modes === undefined || approval.decision !== 'approved') return toldApproval(approval);
    const { approvalMode: mode = 'ask' } = modeOf((await this.#environment.log.state()).config);
    return { ...toldApproval(approval), mode };
  }

  /** Lets timers and sockets run. */
  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#environment.clock.after(0, resolve));
  }

  /** Keeps the request and response of a call, for people who want to see them. */
  #keep({ node: after, model }: ProviderRequest, { nodes }: MessageWriter, recorder: CallRecorder): void {
    const { records, root, turn, provider, clock, ids } = this.#environment;
    const ended_at = isoTime(clock.now());
    records.keep(root, { id: ids.next(), turn, after, nodes, provider: provider.id, model, ended_at }, recorder);
  }

  /** Describes the turn's tools to the model: as they were when the turn started. */
  #describeTools(turn: TurnState): ToolDescription[] {
    const { findTool } = this.#environment;
    return [...(turn.told ?? describeTools(turn.tools.flatMap((name) => findTool(name) ?? [])))];
  }

  async #runCalls(waiting: readonly string[]): Promise<void> {
    const state = await this.#writer.state();
    const scope = {
      ...surroundingsOfCalls(this.#environment, state, this.#turn(state), this.#stop.signal),
      writer: this.#writer,
      mode: async () => modeOf((await this.#writer.state()).config),
      patience: this.#patience,
      stop: () => this.#stop.abort(),
      decision: (node: string) => this.#decision(node),
    };
    await runCalls(scope, waiting);
  }

  async #decision(node: string, signal: AbortSignal = this.#stop.signal): Promise<ApprovalState> {
    for (;;) {
      const known = (await this.#writer.state()).approvals.get(node);
      if (known !== undefined) return known;
      if (signal.aborted) throw new TurnStopped('halted');
      await this.#decisions.wait(node);
    }
  }

  /** Puts the messages that steer the turn below the messages so far. Returns true if there were any. */
  async #takeSteering(): Promise<boolean> {
    const { turn } = this.#environment;
    const place = [...this.#own.keys()].at(-1);
    return this.#writer.write(z.boolean(), (state, { node }) => decideTakeSteering(state, turn, place ?? node));
  }

  async #end(reason: EndReason, error?: { code: string; message: string }): Promise<EndReason> {
    const { turn } = this.#environment;
    await this.#writer.seal();
    await this.#writer.write(z.null(), (state) => decideEnd(state, turn, reason, error));
    return reason;
  }

  #hear(item: FeedItem<FeedEvent>): void {
    if (item.type !== 'change') return;
    const { turn, holder } = this.#environment;
    for (const event of item.events) {
      if (event.type === 'message-waiting' && event.turn === turn && event.kind === 'steer') {
        const { id, blocks } = event;
        this.#steering?.push({ id, blocks });
      }
      if (event.type === 'approval') this.#decisions.tell(event.node);
      if (event.type === 'turn-ended' && event.turn === turn) this.#stopWith('turn-ended');
      if (event.type === 'turn-taken' && event.turn === turn && event.holder !== holder) this.#stopWith('lease-lost');
    }
  }

  #stopWith(reason: string): void {
    this.#stop.abort();
    this.#decisions.end(reason);
  }
}

/** The parts that hear a call, and the messages to it. */
interface CallParts {
  message: MessageWriter;
  steering: Steering;
  recorder: CallRecorder;
}

/** The reason that a turn is over after a call. */
interface CallEnd {
  reason: EndReason;
  error?: { code: string; message: string };
}

/** The time that a turn which is told to stop waits for a store that fails, in milliseconds. */
const haltTime = 800;

/** The number of events of a call after which the event loop runs. */
const eventsUntilPause = 2_000;

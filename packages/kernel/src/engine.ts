import { z } from 'zod';
import { modelAgentId, userBlock } from '@loom/blocks';
import type { Catalogue, Tokenizer, UserBlock } from '@loom/blocks';
import { Forest } from './forest/forest.ts';
import type { ForestOptions } from './forest/forest.ts';
import { readParams, rootParams } from './forest/params.ts';
import { pathTo } from './forest/tree.ts';
import type { Request } from './log.ts';
import { BlockTools } from './block-tools/block-tools.ts';
import { callOperation, tableOf } from './operations/call-operation.ts';
import type { Caller, Operation } from './operations/operation.ts';
import { kernelOperations } from './operations/table.ts';
import type { ParamsOf, ResultOf } from './operations/table.ts';
import type { BlobPort } from './blob-port.ts';
import type { Ask } from './op.ts';
import type { Hash } from './ports.ts';
import type { Provider, ToolDescription } from './provider.ts';
import { refuse } from './refusal.ts';
import type { Outcome } from './refusal.ts';
import type { RootState } from './root-state.ts';
import type { TextIndex } from './search/text-index.ts';
import type { Tool } from './tool.ts';
import { generateParams, startedTurns } from './turn/generate-params.ts';
import type { GenerateParams, StartedTurns } from './turn/generate-params.ts';
import { decideAbort, returnedMessages } from './turn/abort.ts';
import type { ReturnedMessages } from './turn/abort.ts';
import { chooseRetried } from './turn/message-to-answer.ts';
import { blocksWithoutTurn, decideInterruptBlocks, decideRecovery, unaskedCalls } from './turn/recovery.ts';
import { findAsks } from './turn/tool-round.ts';
import { decideTakeWaiting } from './turn/waiting-messages.ts';
import { decideApproval, decideStart, decideWait } from './turn/turn-decisions.ts';
import type { ApprovalParams, EndReason } from './turn/turn-decisions.ts';
import { leaseTime, TurnLeases } from './turn/turn-leases.ts';
import { describeTools, TurnRunner } from './turn/turn-runner.ts';
import type { RecordCall } from './turn/turn-runner.ts';
import { readRootSettings, surroundingsOf } from './root-settings.ts';

/** Everything that the kernel is handed: it makes no call to the world by itself. */
export interface EngineOptions extends ForestOptions {
  hash: Hash;
  /** Looked through at every use: a list may change, and so may what a function answers. */
  providers: readonly Provider[] | (() => readonly Provider[]);
  tools: readonly Tool[] | (() => readonly Tool[]);
  /** Keeps what providers send and receive, for people who want to see it. */
  record?: RecordCall;
  /** The id of this process among all that may write to the store. */
  holder: string;
  /** This process alone may write, so that a lease of another process belongs to one that has ended. */
  exclusive?: boolean;
  catalogue?: Catalogue;
  tokenizer?: (provider: string, model: string) => Tokenizer | undefined;
  /** Searches conversations without opening them; without one all are opened. */
  index?: TextIndex;
  /** Operations of other packages, beside the kernel's own. */
  operations?: readonly Operation[];
  /** Whether what is open in a root belongs to no running process; by default leases tell. */
  isOwnerless?: (state: RootState) => Promise<boolean>;
}

/** How long to wait before trying again to take a turn over, in milliseconds. */
const takeOverDelay = 100;

/** How long to wait before what a failure left open is looked at again, in milliseconds. */
const recoveryDelay = 1_000;

/** How long providers may take to let go of what they hold, in milliseconds. */
const closeTime = 1_000;

/** The kernel's front: conversations, and the turns that go on in them. */
export class LoomEngine {
  readonly forest: Forest;
  readonly blocks: BlockTools;
  readonly hash: Hash;
  /** Everything that can be asked for with `call`. */
  readonly operations: readonly Operation[];
  readonly #table: ReadonlyMap<string, Operation>;
  readonly #options: EngineOptions;
  readonly #leases: TurnLeases;
  readonly #running = new Map<string, { root: string; runner: TurnRunner; done: Promise<EndReason | 'stopped'> }>();
  /** What this process is about to do to turns: to start them, take them over or recover them. */
  readonly #claims = new Map<string, Promise<unknown>>();
  /** The last recovery of each root, as long as it is under way. */
  readonly #recovering = new Map<string, Promise<void>>();
  /** How to call off the recoveries that are planned, by root. */
  readonly #recoveries = new Map<string, () => void>();
  /** Roots that this process has recovered before it wrote to them. */
  readonly #opened = new Set<string>();
  #closed = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#leases = new TurnLeases(options);
    this.forest = new Forest(options);
    this.hash = options.hash;
    this.blocks = new BlockTools({ ...options, forest: this.forest });
    this.operations = [...kernelOperations, ...(options.operations ?? [])];
    this.#table = tableOf(this.operations);
  }

  /** Asks for an operation of the table. Whatever the door, this is the way in. */
  call<Name extends string>(name: Name, caller: Caller, params: ParamsOf<Name>): Promise<Outcome<ResultOf<Name>>>;
  call(name: string, caller: Caller, params: unknown): Promise<Outcome<unknown>> {
    return callOperation(this, this.#table, { name, caller, params });
  }

  /**
   * The state of a root, once nothing is open any more that an earlier process has left; that is looked for the first time that this
   * process opens it. A root that there is not is refused, and nothing is kept of it.
   */
  async open(root: string): Promise<Outcome<RootState>> {
    if (!(await this.forest.has(root))) return refuse({ reason: 'root-not-found', root });
    const log = this.forest.log(root);
    const state = await log.state();
    if (this.#opened.has(root)) return { ok: true, value: state };
    const isOpen = state.liveTurns.size > 0 || state.waiting.size > 0 || blocksWithoutTurn(state).length > 0;
    const mayRecover = isOpen && ((await this.#options.isOwnerless?.(state)) ?? true);
    if (mayRecover) await this.recover(root);
    if (mayRecover || !isOpen) this.#opened.add(root);
    return { ok: true, value: mayRecover ? await log.state() : state };
  }

  /**
   * Closes what a crash left open in a root: ends its turns or leaves them to a person's decision, and puts messages that
   * were accepted for them in their place. Call it before writing to a root for the first time.
   */
  recover(root: string): Promise<void> {
    // One after the other: the caller wants everything closed when the answer comes.
    const before = this.#recovering.get(root) ?? Promise.resolve();
    const recovered = before
      .catch(() => {})
      .then(() => this.#recoverRoot(root))
      .finally(() => {
        if (this.#recovering.get(root) === recovered) this.#recovering.delete(root);
      });
    this.#recovering.set(root, recovered);
    return recovered;
  }

  /** Lets a model answer a node. Answers as soon as the turns are durable; `wait` says when they are over. */
  generate(request: Request, root: string, params: GenerateParams): Promise<Outcome<StartedTurns>> {
    return this.#start(request, root, params, (_state, node) => ({ ok: true, node }));
  }

  /** Lets a model answer the nearest message of a user at or above a node; answers that are there stay beside it. */
  retry(request: Request, root: string, params: GenerateParams): Promise<Outcome<StartedTurns>> {
    return this.#start(request, root, params, chooseRetried);
  }

  async #start(
    request: Request,
    root: string,
    params: GenerateParams,
    choose: (state: RootState, node: string) => ReturnType<typeof chooseRetried>,
  ): Promise<Outcome<StartedTurns>> {
    const read = readParams(generateParams, params);
    if (!read.ok) return read;
    const { node, provider, model, settings = {}, n = 1, answers = [], maxRounds = 20 } = read.value;
    const speakers = [...Array.from({ length: n }, () => ({ provider, model, settings })), ...answers];
    const missing = speakers.find((speaker) => this.#provider(speaker.provider) === undefined);
    if (missing !== undefined) {
      const providers = list(this.#options.providers).map(({ id }) => id);
      return refuse({ reason: 'unknown-provider', provider: missing.provider, providers });
    }
    const { ids, holder } = this.#options;
    const batch = speakers.length === 1 ? {} : { batch: ids.next() };
    const starts = speakers.map((speaker) => ({
      turn: `turn-${ids.next()}`,
      settings: {},
      ...speaker,
      max_rounds: maxRounds,
      holder,
      ...batch,
    }));
    const offer = (state: RootState): ToolDescription[] => {
      const names = read.value.tools ?? readRootSettings(state.config).tools ?? [];
      return speakers.length === 1 ? describeTools(names, (name) => this.#tool(name)) : [];
    };
    const turns = starts.map(({ turn }) => turn);
    const { promise: claim, resolve: giveUp } = Promise.withResolvers<void>();
    for (const turn of turns) this.#claims.set(turn, claim);
    try {
      for (const turn of turns) await this.#leases.take(turn);
      const outcome = await this.forest.change({ ...request, turn: turns[0] ?? '' }, root, startedTurns, (state) => {
        const chosen = choose(state, node);
        return chosen.ok ? decideStart(state, chosen.node, starts, offer(state)) : chosen;
      });
      if (outcome.ok && outcome.value.turns[0] === turns[0]) {
        for (const turn of turns) await this.#run(root, turn);
        return outcome;
      }
      for (const turn of turns) await this.#leases.release(turn);
      // A request that is repeated finds its turns, and runs those that it could not run the first time.
      for (const turn of outcome.ok ? outcome.value.turns : []) await this.#claim(turn, () => this.#run(root, turn));
      return outcome;
    } catch (error) {
      this.#recoverLater(root);
      throw error;
    } finally {
      for (const turn of turns) this.#claims.delete(turn);
      giveUp();
    }
  }

  /** Resolves when a turn of this process is over, with how it ended. */
  async wait(turn: string): Promise<EndReason | 'stopped' | undefined> {
    return this.#running.get(turn)?.done;
  }

  /**
   * Stops a turn. What it has said stays; what was open is marked as interrupted; messages that waited for it are given back.
   */
  async abort(request: Request, root: string, turn: string): Promise<Outcome<ReturnedMessages>> {
    const read = readParams(turnParams, { turn });
    if (!read.ok) return read;
    const running = this.#running.get(turn);
    if (running?.root === root) await running.runner.halt();
    return this.forest.change(request, root, returnedMessages, (state) => decideAbort(state, turn));
  }

  /** Says something to a turn that is running: it is heard after the current round. */
  steer(request: Request, root: string, turn: string, blocks: readonly UserBlock[]): Promise<Outcome<null>> {
    return this.#keep(request, root, turn, 'steer', blocks);
  }

  /** Keeps a message until a turn is over; then it starts the next one. */
  queue(request: Request, root: string, turn: string, blocks: readonly UserBlock[]): Promise<Outcome<null>> {
    return this.#keep(request, root, turn, 'queue', blocks);
  }

  /** A person's decision about a call. Goes on with a turn that no process runs. */
  async decide(
    request: Request & { type: 'person' | 'other' },
    root: string,
    params: ApprovalParams,
  ): Promise<Outcome<{ turn: string }>> {
    const read = readParams(decideParams, { request, root, params });
    if (!read.ok) return read;
    if (request.type !== 'person') return refuse({ reason: 'not-permitted', needs: 'person' });
    const { agent, id } = request;
    const decide = (holder?: string): Promise<Outcome<{ turn: string }>> =>
      this.forest.change({ agent, id }, root, z.strictObject({ turn: z.string() }), (state) =>
        decideApproval(state, params, holder),
      );
    const turn = (await this.forest.log(root).state()).nodes.get(params.node)?.turn;
    for (;;) {
      const taken = turn === undefined ? undefined : await this.#claim(turn, () => this.#takeOver(root, turn, decide));
      const outcome = taken ?? (await decide());
      if (outcome.ok || outcome.refusal.reason !== 'lease-lost') return outcome;
      // The process that has the turn now gives it back soon, at the latest when the lease runs out.
      await new Promise<void>((resolve) => void this.#options.clock.after(takeOverDelay, resolve));
    }
  }

  /** What models are told of the tools with these names; of all without. */
  describeTools(names: readonly string[] = list(this.#options.tools).map(({ name }) => name)): ToolDescription[] {
    return describeTools(names, (name) => this.#tool(name));
  }

  /** Resolves when no turn runs in this process any more, those included that queued messages have started. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  /** Ends everything that this process does. Turns that are running stay open in the log, for the next one to recover. */
  async close(): Promise<void> {
    await this.rest();
    await this.#closeProviders();
    // A store that fails now has been heard of before; what was acknowledged is in the log.
    await this.forest.saveSnapshots().catch(() => {});
    this.forest.close();
  }

  /** Providers that never let go are left behind. */
  async #closeProviders(): Promise<void> {
    const closing = list(this.#options.providers).map(async (provider) => provider.close?.());
    const { promise: patience, resolve: leave } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(closeTime, leave);
    await Promise.race([Promise.allSettled(closing), patience]);
    cancel();
  }

  /** Stops what this process is doing; what was said until now stays. Nothing is begun any more. */
  async rest(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#recoveries.values()) cancel();
    const running = [...this.#running.values()];
    await Promise.all(
      running.map(async ({ runner, done }) => {
        await runner.halt();
        await done.catch(() => {});
      }),
    );
  }

  #keep(
    request: Request,
    root: string,
    turn: string,
    kind: 'steer' | 'queue',
    blocks: readonly UserBlock[],
  ): Promise<Outcome<null>> {
    const read = readParams(waitParams, { turn, blocks });
    if (!read.ok) return Promise.resolve(read);
    const id = this.#options.ids.next();
    return this.forest.change(request, root, z.null(), (state) =>
      decideWait(state, request.agent, turn, kind, id, read.value.blocks),
    );
  }

  /** Does something to a turn that this process does not run, one thing at a time; `undefined` if it runs it. */
  async #claim<T>(turn: string, work: () => Promise<T>): Promise<T | undefined> {
    const before = this.#claims.get(turn) ?? Promise.resolve();
    const claim = before.catch(() => {}).then(() => (this.#running.has(turn) ? undefined : work()));
    this.#claims.set(turn, claim);
    try {
      return await claim;
    } finally {
      if (this.#claims.get(turn) === claim) this.#claims.delete(turn);
    }
  }

  async #recoverRoot(root: string): Promise<void> {
    const { seq, liveTurns, waiting } = await this.forest.log(root).state();
    if (seq === 0) return;
    for (const turn of new Set([...liveTurns, ...[...waiting.values()].map((message) => message.turn)])) {
      await this.#claim(turn, () => this.#recoverTurn(root, turn));
    }
    // Only a process that is alone, and only before it has begun to write here, knows that no running writer owns these blocks.
    if (this.#options.exclusive !== true || this.#opened.has(root)) return;
    const request = { agent: 'loom:recovery', id: this.#options.ids.next() };
    await this.forest.log(root).append(request, z.null(), decideInterruptBlocks);
    this.#opened.add(root);
  }

  async #recoverTurn(root: string, turn: string): Promise<void> {
    if (!(await this.#leases.take(turn))) {
      // Its process may have ended all the same; that is known when its lease runs out.
      this.#recoverLater(root, leaseTime);
      return;
    }
    const request = { agent: 'loom:recovery', id: this.#options.ids.next(), turn };
    try {
      const asks = await this.#asksOf(root, turn);
      const outcome = await this.forest
        .log(root)
        .append(request, z.strictObject({ open: z.boolean() }), (state) => decideRecovery(state, turn, asks));
      if (outcome.ok && !outcome.value.open) await this.#takeWaiting(root, turn, false);
    } finally {
      await this.#leases.release(turn);
    }
  }

  async #asksOf(root: string, turn: string): Promise<Map<string, Ask>> {
    const state = await this.forest.log(root).state();
    const calls = unaskedCalls(state, turn);
    const { provider = '', model = '' } = state.turns.get(turn) ?? {};
    const agent = modelAgentId(provider, model);
    const context = { root, agent, ...surroundingsOf(state.config), blobs: this.#blobs };
    return findAsks(calls, (name) => this.#tool(name), context, this.#options.clock);
  }

  get #blobs(): BlobPort {
    const { store } = this.#options;
    return { get: (id) => store.getBlob(id), put: (bytes) => store.putBlob(bytes) };
  }

  /**
   * What a failing store or a dying process has left open is closed as soon as that is possible, without a new start of the
   * process.
   */
  #recoverLater(root: string, delay = recoveryDelay): void {
    if (this.#closed || this.#recoveries.has(root)) return;
    const cancel = this.#options.clock.after(delay, () => {
      this.#recoveries.delete(root);
      this.recover(root).catch(() => this.#recoverLater(root));
    });
    this.#recoveries.set(root, cancel);
  }

  /** Logs a decision about a turn that no process runs, and goes on with it; `undefined` if another process runs it. */
  async #takeOver<T>(
    root: string,
    turn: string,
    decide: (holder: string) => Promise<Outcome<T>>,
  ): Promise<Outcome<T> | undefined> {
    if (!(await this.#leases.take(turn))) return undefined;
    try {
      const outcome = await decide(this.#options.holder);
      const isRunning = outcome.ok && (await this.#run(root, turn));
      if (!isRunning) await this.#leases.release(turn);
      return outcome;
    } catch (error) {
      this.#recoverLater(root);
      throw error;
    }
  }

  /** Runs a turn that belongs to this process. False if it does not, or is over. The caller has claimed it. */
  async #run(root: string, turn: string): Promise<boolean> {
    const log = this.forest.log(root);
    const { clock, ids, hash, holder, catalogue, tokenizer, record } = this.#options;
    const now = await log.state();
    const started = now.turns.get(turn);
    const provider = this.#provider(started?.provider ?? '');
    if (started === undefined || provider === undefined || started.ended !== undefined || started.holder !== holder) {
      return false;
    }
    // Everything that a model is shown is as it was when the turn started.
    const state = now.seq === started.started ? now : await log.stateAt(started.started);
    const runner = new TurnRunner({
      root,
      log,
      turn,
      holder,
      agent: modelAgentId(started.provider, started.model),
      clock,
      ids,
      blobs: this.#blobs,
      provider,
      findTool: (name) => this.#tool(name),
      hash,
      config: state.config,
      record,
      caps: () => catalogue?.capsOf(started.provider, started.model),
      tokenizer: () => tokenizer?.(started.provider, started.model),
      base: pathTo(state, started.node),
      forest: this.forest,
      leases: this.#leases,
    });
    const done = this.#runToEnd(root, turn, runner);
    // A caller that waits hears of a failure; no caller has to wait.
    done.catch(() => {});
    this.#running.set(turn, { root, runner, done });
    return true;
  }

  async #runToEnd(root: string, turn: string, runner: TurnRunner): Promise<EndReason | 'stopped'> {
    const stopRenewing = this.#leases.keep(turn, () => runner.halt());
    try {
      const reason = await runner.run();
      if (reason !== 'stopped') this.#compact(root, turn);
      // Stopped, but perhaps not ended: the call that wanted to end it may have failed.
      if (reason === 'stopped') this.#recoverLater(root);
      // While the lease is held, so that no other process takes these messages for leftovers.
      else if (!this.#closed) await this.#takeWaiting(root, turn, true).catch(() => this.#recoverLater(root));
      return reason;
    } catch (error) {
      this.#recoverLater(root);
      throw error;
    } finally {
      stopRenewing();
      this.#running.delete(turn);
      await this.#leases.release(turn);
    }
  }

  /** What a turn has streamed in many small changes is kept in few large ones from now on. If that fails it just stays. */
  #compact(root: string, turn: string): void {
    const log = this.forest.log(root);
    log
      .read((state) => state.turns.get(turn)?.started ?? state.seq)
      .then(({ value: started }) => log.compact(started))
      .catch(() => {});
  }

  #provider(id: string): Provider | undefined {
    return list(this.#options.providers).find((provider) => provider.id === id);
  }

  #tool(name: string): Tool | undefined {
    return list(this.#options.tools).find((tool) => tool.name === name);
  }

  /** Puts the messages that waited for a turn's end below it and, unless the process was just restarted, answers them. */
  async #takeWaiting(root: string, turn: string, answer: boolean): Promise<void> {
    const request = { agent: 'loom:queue', id: this.#options.ids.next() };
    const outcome = await this.forest.change(request, root, z.string().nullable(), (state) =>
      decideTakeWaiting(state, turn),
    );
    if (!answer || !outcome.ok || outcome.value === null) return;
    const ended = (await this.forest.log(root).state()).turns.get(turn);
    if (ended === undefined) return;
    const { provider, model, settings, tools, maxRounds } = ended;
    const params = { node: outcome.value, provider, model, settings, tools, maxRounds };
    await this.generate({ agent: 'loom:queue', id: this.#options.ids.next() }, root, params);
  }
}

const decideParams = rootParams.extend({
  request: z.looseObject({ type: z.string() }),
  params: z.strictObject({
    node: z.string(),
    decision: z.enum(['approved', 'denied', 'answered']),
    arguments: z.string(),
    text: z.string().exactOptional(),
  }),
});

const turnParams = z.strictObject({ turn: z.string() });

const waitParams = turnParams.extend({ blocks: z.array(userBlock).min(1) });

function list<T>(given: readonly T[] | (() => readonly T[])): readonly T[] {
  return typeof given === 'function' ? given() : given;
}

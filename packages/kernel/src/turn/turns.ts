import { z } from 'zod';
import { userBlock } from '@loom/blocks';
import type { UserBlock } from '@loom/blocks';
import type { Forest } from '../forest/forest.ts';

import { roundsOf } from './room/output-room.ts';
import { readParams, rootParams } from '../forest/params.ts';
import type { Request } from '../request.ts';
import type { AgentPromptPort, Clock, Ids, CredentialPort, RuleKeeper, ScratchPort } from '../ports.ts';
import type { ToolDescription } from '../provider.ts';
import { refuse, refuseValue } from '../refusal.ts';
import type { Outcome, Refused } from '../refusal.ts';
import { agentPromptOf, readRootSettings, wantsInstructions } from '../root-settings.ts';
import type { RootOp } from '../op.ts';
import { limitQuestionAt } from '../state/limit-questions.ts';
import type { RootState, TurnState } from '../state/root-state.ts';
import { approvalParams } from './deciding/approval-params.ts';
import type { ApprovalParams } from './deciding/approval-params.ts';
import { decideLimit } from './deciding/decide-limit.ts';
import { keepRules } from './deciding/kept-rules.ts';
import { decideAbort, decideWithdraw, returnedMessage, returnedMessages } from './abort.ts';
import type { ReturnedMessage, ReturnedMessages } from './abort.ts';
import { noCredentials } from '../ports.ts';
import { refuseContinuation } from './continuation.ts';
import { generateParams, startedTurns } from './generate-params.ts';
import type { GenerateParams, StartedTurns } from './generate-params.ts';
import { chooseRetried } from './message-to-answer.ts';
import type { Registry } from './registry.ts';
import type { HowEnded, RunningTurns } from './holding/running-turns.ts';
import { decideApproval, decideStart, decideWait, nodesOfTurn } from './turn-decisions.ts';
import type { TurnStart } from './turn-decisions.ts';
import type { TurnLeases } from './holding/turn-leases.ts';
import { decideReorder, decideTakeWaiting } from './waiting-messages.ts';

export interface TurnsOptions {
  forest: Forest;
  registry: Registry;
  leases: TurnLeases;
  running: RunningTurns;
  clock: Clock;
  ids: Ids;
  holder: string;
  agentPrompts?: AgentPromptPort;
  scratch?: ScratchPort;
  /** The credentials of callers. Default: nothing ends with one. */
  credentials?: CredentialPort;
  /** Keeps permissions that reach beyond one conversation. */
  rules?: RuleKeeper;
  /** Called when something may have stayed open in a root. */
  leftOpen: (root: string) => void;
}

/** The node that a turn is to answer, with what else is logged when it starts. `below`: the node that it hangs below, if it is written in the same change. */
type Chosen = { ok: true; node: string; ops?: readonly RootOp[]; below?: string } | Refused;

/** The wait before another try to take a turn over, in milliseconds. */
const takeOverDelay = 100;

/** The requests to the turns of all conversations: to begin, to stop, to hear something, to go on with a decision. */
export class Turns {
  readonly #options: TurnsOptions;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Lets a model answer a node. Returns as soon as the turns are durable; `wait` says when they are over. */
  generate(request: Request, root: string, params: GenerateParams): Promise<Outcome<StartedTurns>> {
    return this.#start(request, root, params, (_state, node) => ({ ok: true, node }));
  }

  /** Lets a model answer the nearest message of a user at or above a node; answers that are there stay beside it. */
  retry(request: Request, root: string, params: GenerateParams): Promise<Outcome<StartedTurns>> {
    return this.#start(request, root, params, chooseRetried);
  }

  /** The number of turns that this process runs. */
  get running(): number {
    return this.#options.running.size;
  }

  /** The number of turns that go on without a person: the others wait for a decision. */
  get atWork(): number {
    return this.#options.running.atWork;
  }

  /** Resolves when a turn of this process is over, with how it ended. */
  wait(turn: string): Promise<HowEnded | undefined> {
    return this.#options.running.wait(turn);
  }

  /** Resolves when no turn runs in this process, those included that queued messages have started. */
  idle(): Promise<void> {
    return this.#options.running.idle();
  }

  /** Stops a turn. Its words stay; open blocks are marked as interrupted; messages that waited for it are given back. */
  async abort(request: Request, root: string, turn: string): Promise<Outcome<ReturnedMessages>> {
    const read = readParams(turnParams, { turn });
    if (!read.ok) return read;
    const { forest, running } = this.#options;
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    await running.halt(root, turn);
    return forest.change(request, root, returnedMessages, (state) => decideAbort(state, turn));
  }

  /** Says something to a turn that is running: it is heard after the current round. */
  steer(request: Request, root: string, turn: string, blocks: readonly UserBlock[]): Promise<Outcome<null>> {
    return this.#keep(request, root, turn, 'steer', blocks);
  }

  /** Keeps a message until a turn is over; then it starts the next one. */
  queue(request: Request, root: string, turn: string, blocks: readonly UserBlock[]): Promise<Outcome<null>> {
    return this.#keep(request, root, turn, 'queue', blocks);
  }

  /** Gives back a message that waits for a turn; it will not be said. */
  async withdraw(request: Request, root: string, message: string): Promise<Outcome<ReturnedMessage>> {
    return this.#options.forest.change(request, root, returnedMessage, (state) => decideWithdraw(state, message));
  }

  /** Lets a queued message be said before another one of the same turn; `null`: last. */
  async reorder(request: Request, root: string, message: string, before: string | null): Promise<Outcome<null>> {
    return this.#options.forest.change(request, root, z.null(), (state) => decideReorder(state, message, before));
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
    const { forest, running, clock } = this.#options;
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    const { agent, id } = request;
    const decide = (holder?: string): Promise<Outcome<{ turn: string }>> =>
      forest.change({ agent, id }, root, z.strictObject({ turn: z.string() }), (state) =>
        decideApproval(state, params, holder),
      );
    const state = await forest.log(root).state();
    if (limitQuestionAt(state, params.node) !== undefined) return this.#decideLimit({ agent, id }, root, params);
    const unkept = await keepRules(this.#options.rules, state, params, agent);
    if (unkept !== undefined) return unkept;
    const turn = state.nodes.get(params.node)?.turn;
    for (;;) {
      const taken =
        turn === undefined ? undefined : await running.claim(turn, () => this.#takeOver(root, turn, decide));
      const outcome = taken ?? (await decide());
      if (outcome.ok || outcome.refusal.reason !== 'lease-lost') return outcome;
      // The process that has the turn now gives it back soon, at the latest when the lease runs out.
      await new Promise<void>((resolve) => void clock.after(takeOverDelay, resolve));
    }
  }

  /** A person's decision about a spending limit. An approval lets the same model go on below, and spend as much again. */
  async #decideLimit(request: Request, root: string, params: ApprovalParams): Promise<Outcome<{ turn: string }>> {
    const { forest } = this.#options;
    const state = await forest.log(root).state();
    const { turn } = limitQuestionAt(state, params.node) ?? {};
    if (params.decision !== 'approved' || turn === undefined) {
      return forest.change(request, root, z.strictObject({ turn: z.string() }), (now) => decideLimit(now, params));
    }
    const { provider, model, settings, maxRounds } = turn;
    const order = { node: params.node, provider, model, settings, ...toolsAgain(state, turn), maxRounds };
    const started = await this.#start(request, root, { ...order, beyondLimits: true }, (now, node) => {
      const decided = decideLimit(now, params);
      return decided.ok ? { ok: true, node, ops: decided.ops } : decided;
    });
    return started.ok ? { ok: true, value: { turn: started.value.turns[0] ?? '' } } : started;
  }

  /** Puts the messages that waited for a turn's end below it; the last one of them, if there are any. */
  async placeWaiting(root: string, turn: string): Promise<string | undefined> {
    const { forest, ids } = this.#options;
    const request = { agent: 'loom:queue', id: ids.next() };
    const ended = await this.#endedCredentials(root, turn);
    const outcome = await forest.change(request, root, z.string().nullable(), (state) =>
      decideTakeWaiting(state, turn, ended),
    );
    return (outcome.ok ? outcome.value : undefined) ?? undefined;
  }

  async #endedCredentials(root: string, turn: string): Promise<Set<string>> {
    const { forest, credentials = noCredentials } = this.#options;
    const { value: messages } = await forest.log(root).read(({ waiting }) => [...waiting.values()]);
    const ended = new Set<string>();
    for (const { turn: awaited, credential } of messages) {
      if (awaited === turn && credential !== undefined && !(await credentials.isValid(credential)))
        ended.add(credential);
    }
    return ended;
  }

  /**
   * The same, and lets the model of that turn answer them, in one change: whichever process is killed, none is placed without being answered, and
   * none is answered twice.
   */
  async answerWaiting(root: string, turn: string): Promise<void> {
    const { forest, ids } = this.#options;
    const state = await forest.log(root).state();
    const ended = state.turns.get(turn);
    if (ended === undefined || ![...state.waiting.values()].some((message) => message.turn === turn)) return;
    const { node, provider, model, settings, maxRounds } = ended;
    const params = { node, provider, model, settings, ...toolsAgain(state, ended), maxRounds };
    const gone = await this.#endedCredentials(root, turn);
    const started = await this.#start({ agent: 'loom:queue', id: ids.next() }, root, params, (now) => {
      const taken = decideTakeWaiting(now, turn, gone);
      if (!taken.ok) return taken;
      const { value: last, ops } = taken;
      const below = nodesOfTurn(now, now.turns.get(turn) ?? ended).at(-1)?.id ?? node;
      return last === null ? refuse({ reason: 'node-not-found', node }) : { ok: true, node: last, ops, below };
    });
    // Without its model a message is not answered, but it is there.
    if (!started.ok) await this.placeWaiting(root, turn);
  }

  async #start(
    request: Request,
    root: string,
    params: GenerateParams,
    choose: (state: RootState, node: string) => Chosen,
  ): Promise<Outcome<StartedTurns>> {
    const read = readParams(generateParams, params);
    if (!read.ok) return read;
    const { forest, registry, leases, running, ids, holder, leftOpen } = this.#options;
    const { node, provider, model, settings = {}, n = 1, answers = [], leavesCalls = false, beyondLimits } = read.value;
    const { maxRounds = roundsOf(settings) } = read.value;
    const speakers = [...Array.from({ length: n }, () => ({ provider, model, settings })), ...answers];
    const missing = speakers.find((speaker) => registry.provider(speaker.provider) === undefined);
    if (missing !== undefined) {
      const providers = registry.providers.map(({ id }) => id);
      return refuse({ reason: 'unknown-provider', provider: missing.provider, providers });
    }
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    const batch = speakers.length === 1 ? {} : { batch: ids.next() };
    const credential = await this.#credentialOf(request);
    const starts = speakers.map((speaker) => ({
      turn: `turn-${ids.next()}`,
      settings: {},
      ...speaker,
      max_rounds: maxRounds,
      holder,
      ...batch,
      ...credential,
      ...(leavesCalls ? { leaves_calls: true as const } : {}),
      ...(beyondLimits === true ? { beyond_limits: true as const } : {}),
    }));
    const offer = (state: RootState): ToolDescription[] => {
      if (speakers.length > 1) return [];
      const usual = leavesCalls ? [] : readRootSettings(state.config).tools;
      return registry.describeTools(read.value.tools ?? usual ?? [], read.value.callerTools);
    };
    const turns = starts.map(({ turn }) => turn);
    if (!leavesCalls) {
      await registry.toolsReady();
      await this.#takePrompt(root, provider, offer);
    }
    await this.#takeFolder(root, speakers);
    return running.claimNew(turns, async () => {
      try {
        for (const turn of turns) await leases.take(root, turn);
        const outcome = await forest.change({ ...request, turn: turns[0] ?? '' }, root, startedTurns, (state) => {
          const chosen = choose(state, node);
          if (!chosen.ok) return chosen;
          const refused = refuseContinuation(registry, state.nodes.get(chosen.node), speakers);
          const foreign = leavesCalls ? undefined : refuseForeignTools(registry, state, read.value.tools);
          const refusal = refused ?? foreign;
          if (refusal !== undefined) return refusal;
          const begun = decideStart(state, chosen, starts.map(withProviderTools(state)), offer(state));
          return begun.ok ? { ...begun, ops: [...(chosen.ops ?? []), ...begun.ops] } : begun;
        });
        if (outcome.ok && outcome.value.turns[0] === turns[0]) {
          for (const turn of turns) await running.run(root, turn);
          return outcome;
        }
        for (const turn of turns) await leases.release(root, turn);
        // A request that is repeated finds its turns, and runs those that it could not run the first time.
        for (const turn of outcome.ok ? outcome.value.turns : [])
          await running.claim(turn, () => running.run(root, turn));
        return outcome;
      } catch (error) {
        leftOpen(root);
        throw error;
      }
    });
  }

  /**
   * Gives a conversation without a folder a scratch folder before an agent speaks there: a program that runs its own tools works in some folder,
   * and only in one that the conversation names its changes are seen and taken back. Where none can be made the agent says so.
   */
  async #takeFolder(root: string, speakers: readonly { provider: string }[]): Promise<void> {
    const { forest, registry, scratch, ids } = this.#options;
    const isFolderless = ({ config }: RootState): boolean => (readRootSettings(config).directory ?? '') === '';
    if (scratch === undefined || !speakers.some(({ provider }) => registry.provider(provider)?.needsFolder === true))
      return;
    const { value: isNeeded } = await forest.log(root).read(isFolderless);
    const directory = isNeeded ? await scratch.make(root).catch(() => undefined) : undefined;
    if (directory === undefined) return;
    await forest.change({ agent: 'loom:folder', id: ids.next() }, root, z.null(), (state) => {
      // A person may have chosen one meanwhile.
      const ops = isFolderless(state)
        ? [{ type: 'root-changed' as const, config: { ...state.config, directory } }]
        : [];
      return { ok: true, ops, value: null };
    });
  }

  /**
   * Composes what models are told about the folder, for the first turn that has tools there. It is kept in the config, so that later requests
   * begin with the same bytes. An agent that runs its own tools has its own prompt.
   */
  async #takePrompt(
    root: string,
    provider: string,
    offer: (state: RootState) => readonly ToolDescription[],
  ): Promise<void> {
    const { forest, registry, agentPrompts, ids } = this.#options;
    if (agentPrompts === undefined || registry.provider(provider)?.runsTools === true) return;
    const { value: folder } = await forest.log(root).read((state) => {
      const { directory = '' } = readRootSettings(state.config);
      const isDue = directory !== '' && agentPromptOf(state.config) === undefined && offer(state).length > 0;
      return isDue ? { directory, instructions: wantsInstructions(state.config) } : undefined;
    });
    // A folder that cannot be read is said by the tools.
    const text = folder && (await agentPrompts.compose(folder).catch(() => undefined));
    if (folder === undefined || text === undefined) return;
    const request = { agent: 'loom:prompt', id: ids.next() };
    await forest.change(request, root, z.null(), ({ config }) => {
      const kept = { ...config, agent_prompt: { ...folder, text } };
      // Another turn may have kept one meanwhile, and the folder may be another one by now.
      const isWanted = agentPromptOf(config) === undefined && agentPromptOf(kept) !== undefined;
      return { ok: true, ops: isWanted ? [{ type: 'root-changed', config: kept }] : [], value: null };
    });
  }

  async #keep(
    request: Request,
    root: string,
    turn: string,
    kind: 'steer' | 'queue',
    blocks: readonly UserBlock[],
  ): Promise<Outcome<null>> {
    const read = readParams(waitParams, { turn, blocks });
    if (!read.ok) return read;
    const { forest, ids } = this.#options;
    const sent = { id: ids.next(), blocks: read.value.blocks, ...(await this.#credentialOf(request)) };
    return forest.change(request, root, z.null(), (state) => decideWait(state, request.agent, turn, kind, sent));
  }

  /** The credential that a request ends with, if a later process can tell that it has ended. */
  async #credentialOf({ credential }: Request): Promise<{ credential?: string }> {
    const { credentials = noCredentials } = this.#options;
    return credential !== undefined && (await credentials.isKept(credential)) ? { credential } : {};
  }

  /** Logs a decision about a turn that no process runs, and goes on with it; `undefined` if another process runs it. */
  async #takeOver<T>(
    root: string,
    turn: string,
    decide: (holder: string) => Promise<Outcome<T>>,
  ): Promise<Outcome<T> | undefined> {
    const { leases, running, holder, leftOpen } = this.#options;
    if (!(await leases.take(root, turn))) return undefined;
    try {
      const outcome = await decide(holder);
      const isRunning = outcome.ok && (await running.run(root, turn));
      if (!isRunning) await leases.release(root, turn);
      return outcome;
    } catch (error) {
      leftOpen(root);
      throw error;
    }
  }
}

/** Adds the providers' own tools that the conversation uses, unless the caller says which. Several answers are made without any tools. */
function withProviderTools({
  config,
}: RootState): (start: TurnStart, index: number, all: readonly TurnStart[]) => TurnStart {
  const { providerTools } = readRootSettings(config);
  return (start, _index, { length }) =>
    providerTools === undefined || providerTools.length === 0 || length > 1 || 'providerTools' in start.settings
      ? start
      : { ...start, settings: { ...start.settings, providerTools: [...providerTools] } };
}

/** The tools of a turn that is over, for the one that answers what waited for its end. */
function toolsAgain(
  { told = [] }: RootState,
  turn: TurnState,
): Pick<GenerateParams, 'tools' | 'leavesCalls' | 'callerTools'> {
  // One that its agent began was given none, which says nothing about what a person asks for.
  if (turn.startedBy === 'agent') return {};
  if (turn.leavesCalls !== true) return { tools: turn.tools };
  // The descriptions that its model got may have come from the caller, and are not kept with a turn that is over.
  return { tools: [], leavesCalls: true, callerTools: told.filter(({ name }) => turn.tools.includes(name)) };
}

/** Refuses tools that the conversation does not have, where it names its own: a caller cannot give a model more than its owner did. */
function refuseForeignTools(
  registry: Registry,
  { config }: RootState,
  tools: readonly string[] = [],
): Refused | undefined {
  const own = readRootSettings(config).tools;
  // A tool that belongs to a mode comes and goes with it.
  const isOwn = (name: string): boolean => own?.includes(name) === true || registry.tool(name)?.modes !== undefined;
  const foreign = own === undefined ? -1 : tools.findIndex((name) => !isOwn(name));
  if (foreign === -1) return undefined;
  return refuseValue(['tools', foreign], `${tools[foreign]} is not among the tools of the conversation`);
}

const decideParams = rootParams.extend({
  request: z.looseObject({ type: z.string() }),
  params: approvalParams,
});

const turnParams = z.strictObject({ turn: z.string() });

const waitParams = turnParams.extend({ blocks: z.array(userBlock).min(1) });

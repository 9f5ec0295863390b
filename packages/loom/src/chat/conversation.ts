import { renderBlockAsText } from '@loom/blocks';
import type { MessageBlock, UserBlock } from '@loom/blocks';
import { isVisible, lastPart, liveChildren, messageToAnswer, readRootSettings } from '@loom/kernel';
import type { ApprovalMode, FeedEvent, NodeState, Outcome, ParamsOf, RootState } from '@loom/kernel';
import type { ReplicaChange } from '@loom/sync';
import { LoomError } from '../command-line/failure.ts';
import type { ChosenModel } from '../models/demo-model.ts';
import type { ConversationFeed, Loom } from '../runtime/loom.ts';
import { orFail } from '../words/refusal-error.ts';
import type { Answerer } from './answerer.ts';
import { ChildFeeds } from './child-feeds.ts';
import type { ChildListener } from './child-feeds.ts';
import { CallBook, exactArguments, type PendingCall } from './call-book.ts';
import { isAgent } from '../models/agents/agents.ts';
import type { ConversationStart, FolderChoice, ProviderTool } from './conversation-start.ts';
import { offeredTools } from './offered-tools.ts';
import { TurnsHere } from './turns-here.ts';

/** The longest time for a model to find a title, in milliseconds: the end of a chat waits for it. */
const longestTitling = 4000;

/** The share of the context window that makes it nearly full. */
const nearlyFull = 0.8;

/** The content of a person's message: words, or files and words. */
export type SaidContent = string | [UserBlock, ...UserBlock[]];

/**
 * A person's end of a conversation: their place, their messages, and the turns that answer. Knows no terminal. The root of a new
 * conversation is made with its first message, so that nothing is left of one without any.
 */
export class Conversation {
  model: ChosenModel;
  others: readonly ChosenModel[];
  /** The number of answers each model gives, side by side. */
  answers: number;
  /** Receives every event, in order. */
  listener: (event: FeedEvent) => void = () => undefined;
  childListener: ChildListener = { hear: () => undefined, end: () => undefined };
  /** Receives the messages of other terminals at this place. */
  overheard: (text: string) => void = () => undefined;
  readonly #children: ChildFeeds;
  readonly calls: CallBook;
  /** The conversation is being summed up. */
  isCompacting = false;
  readonly #loom: Loom;
  readonly #start: ConversationStart;
  #at: { root: string; place: string } | undefined;
  /** The choices for a conversation that has not begun. */
  #choice: FolderChoice;
  readonly #turns = new TurnsHere();
  /** The messages sent here that have not come back as nodes yet. */
  readonly #said: string[] = [];
  /** The messages that were said here, and the turns that were asked for here: the others belong to other terminals. */
  readonly #saidHere = new Set<string>();
  readonly #own = new Set<string>();
  /** Accepted messages that no node holds yet. */
  readonly #waiting = new Map<string, string>();
  readonly #awaited = new Set<string>();
  /** A message was put below a turn that is over: another turn is about to answer it. */
  #isAnswerDue = false;
  #failure: { error: unknown } | undefined;
  /** Looks for a title; resolves to the reason there is none, if that fails. */
  #titling: Promise<string | undefined> | undefined;
  #feed: ConversationFeed | undefined;
  #wake: (() => void)[] = [];

  constructor(loom: Loom, start: ConversationStart) {
    this.#loom = loom;
    this.#start = start;
    this.#choice = start.place ?? {};
    this.model = start.model;
    this.others = start.others ?? [];
    this.answers = start.answers ?? 1;
    this.calls = new CallBook();
    this.#children = new ChildFeeds(loom, {
      hear: (child, event) => this.childListener.hear(child, event),
      end: (child) => {
        this.childListener.end(child);
        this.#wakeAll();
      },
    });
  }

  get root(): string | undefined {
    return this.#at?.root;
  }

  /** The node that the next message will hang below, or the root. */
  get place(): string | undefined {
    return this.#at?.place;
  }

  get systemPrompt(): string | undefined {
    return this.#start.systemPrompt;
  }

  get isBusy(): boolean {
    const isTurning = this.#turns.live.size > 0 || this.#waiting.size > 0 || this.#isAnswerDue;
    return isTurning || this.isCompacting || this.#children.isOpen;
  }

  /** Opens the root that goes on, and picks up turns that a crash has left there. */
  async open(): Promise<void> {
    const { at } = this.#start;
    if (at === undefined) return;
    this.#at = at;
    await this.#listen(at.root);
    await this.configure(this.#choice);
  }

  /** The nodes of the conversation, by id. */
  get nodes(): ReadonlyMap<string, NodeState> {
    return this.#feed?.replica.nodes ?? new Map();
  }

  /** The state of the root, once there is one. */
  async state(): Promise<RootState | undefined> {
    return this.#at === undefined ? undefined : this.#loom.open(this.#at.root);
  }

  /** The message at hand, if it is one of the user that nothing answers. */
  async unanswered(): Promise<NodeState | undefined> {
    const state = await this.state();
    const node = state?.nodes.get(this.place ?? '');
    if (state === undefined || node?.role !== 'user' || this.isBusy || !isVisible(state, node.id)) return undefined;
    const last = lastPart(state, node);
    return liveChildren(state, last.id).length === 0 ? last : undefined;
  }

  /** Sends a message here and lets the model answer. */
  async say(content: SaidContent): Promise<void> {
    const { root, place } = this.#at ?? (await this.#begin());
    const params = { parent: place, messages: [{ role: 'user' as const, content }] };
    this.#said.push(wordsOf(content));
    const { nodes } = await this.#heard(await this.#loom.call('node.append', params));
    // Repeating an earlier message adds no node.
    this.#said.length = 0;
    this.#at = { root, place: nodes.at(-1) ?? place };
    await this.answer();
  }

  /** Lets the model answer the node at hand. */
  async answer(): Promise<void> {
    const params = await this.#answerParams();
    await this.#turns.expecting(params.node, async () => {
      this.#awaitAll(await this.#heard(await this.#loom.call('turn.start', params)));
    });
  }

  /** Lets the model go on with the answer at hand from its end; the new text is joined to it. */
  async goOn(): Promise<void> {
    const outcome = await this.#loom.call('turn.start', await this.#turnParams());
    if (outcome.ok) await this.#feed?.reach(outcome.cursor);
    this.#awaitAll(orFail(outcome, { isChat: true }));
  }

  get compaction(): Answerer['compaction'] {
    return this.#start.compaction;
  }

  /** Words the fill level of the model's context window, if it is known and nearly full. */
  async nearlyFull(): Promise<string | undefined> {
    const { node, provider, model, tools = [] } = await this.#turnParams();
    if (node === '' || node === this.root) return undefined;
    const { tokens, window } = orFail(await this.#loom.call('context.get', { node, provider, model, tools }));
    if (window === undefined || tokens < window * nearlyFull) return undefined;
    return `${Math.round((100 * tokens) / window)} % of what ${this.model.name} can read is used`;
  }

  /** Has the conversation summarized; the next message goes on from the summary. Resolves when that has begun. */
  async compact(): Promise<void> {
    const { provider, model } = (await this.#start.summaryModel?.()) ?? this.model;
    const params = await this.#turnParams();
    this.isCompacting = true;
    const compacted = this.#loom.call('turn.compact', { ...params, provider, model }).finally(() => {
      this.isCompacting = false;
      this.#wakeAll();
    });
    const outcome = await Promise.race([compacted, this.changed()]);
    compacted.catch((error: unknown) => this.#fail(error));
    if (outcome !== undefined) orFail(outcome, { isChat: true });
  }

  /** Has the nearest message of the user, here or above, answered; an earlier answer stays beside the new one. */
  async retry(): Promise<void> {
    const [params, state] = [await this.#answerParams(), await this.state()];
    const before = this.place;
    // The text below the message is to be followed from its first word.
    const message = state && messageToAnswer(state, params.node);
    if (message !== undefined) this.goTo(message);
    await this.#turns.expecting(message ?? params.node, async () => {
      const outcome = await this.#loom.call('turn.retry', params);
      if (!outcome.ok && before !== undefined) this.goTo(before);
      this.#awaitAll(await this.#heard(outcome));
    });
  }

  /** The same, with everything else that answers beside it. */
  async #answerParams(): Promise<ParamsOf<'turn.start'>> {
    const { settings } = this.#start;
    const ofEach = Array.from({ length: this.answers });
    const others = this.others.flatMap(({ provider, model }) => ofEach.map(() => ({ provider, model, settings })));
    return { ...(await this.#turnParams()), n: this.answers, ...(others.length === 0 ? {} : { answers: others }) };
  }

  async #turnParams(): Promise<ParamsOf<'turn.compact'>> {
    const { provider, model } = this.model;
    // An agent has its own tools. Those of Loom change with folder and mode, and with them what its history seems to begin with.
    const offered = isAgent(this.model) ? [] : await offeredTools(this.#loom, this.model, this.root);
    const node = this.place ?? '';
    const tools = offered.map(({ name }) => name);
    return { node, provider, model, settings: this.#start.settings, tools };
  }

  #awaitAll({ turns }: { turns: readonly string[] }): void {
    for (const turn of turns) {
      this.#own.add(turn);
      this.#await(turn);
    }
  }

  /** Says something to the running turn. If it is over already, the message is a new one. */
  async steer(content: SaidContent): Promise<void> {
    await this.#tell(content, (turn) => this.#loom.call('turn.steer', { root: this.#rootOrFail(), turn, content }));
  }

  /** Keeps a message until the turn that is running is over. */
  async queue(content: SaidContent): Promise<void> {
    await this.#tell(content, (turn) => this.#loom.call('turn.queue', { root: this.#rootOrFail(), turn, content }));
  }

  /**
   * Stops all running turns, or only those started here; the messages stay. Returns the messages that were queued for later: they will no
   * longer be sent.
   */
  async abort(which: 'all' | 'own' = 'all'): Promise<string[]> {
    const returned: string[] = [];
    for (const turn of this.#turns.live) {
      if (which === 'own' && !this.#own.has(turn)) continue;
      const outcome = await this.#loom.call('turn.abort', { root: this.#rootOrFail(), turn });
      // The turn may have just ended.
      if (!outcome.ok && outcome.refusal.reason === 'turn-ended') continue;
      const messages = (await this.#heard(outcome)).returned;
      returned.push(...messages.map(({ blocks }) => wordsOf(blocks)));
    }
    return returned;
  }

  /** Decides about a call as the person at the terminal. */
  async decide({ node, call }: PendingCall, said: Omit<ParamsOf<'turn.decide'>, 'node' | 'arguments'>): Promise<void> {
    const params = { node, arguments: exactArguments(call), ...said };
    const { turn } = await this.#heard(await this.#loom.call('turn.decide', params));
    this.#awaitAll({ turns: [turn] });
  }

  /** The folder that the tools of the conversation work in. */
  get directory(): string | undefined {
    const { directory } = readRootSettings(this.#config);
    return directory === '' ? undefined : directory;
  }

  /** The freedom of its tools. */
  get mode(): ApprovalMode {
    return readRootSettings(this.#config).approvalMode ?? 'ask';
  }

  /** The tools that an owner chose for it. */
  get chosenTools(): readonly string[] | undefined {
    return readRootSettings(this.#config).tools;
  }

  /** The tools at the provider that are switched on. */
  get providerTools(): readonly ProviderTool[] {
    return readRootSettings(this.#config).providerTools ?? [];
  }

  /** Returns true unless models are not to read the instructions in the folder. */
  get hasInstructions(): boolean {
    return this.#config['instructions'] !== false;
  }

  get #config(): RootState['config'] {
    return this.#feed?.replica.root.config ?? { ...this.#choice };
  }

  /** Changes the folder, the mode or the tools of the conversation, or of the one that the next message begins. */
  async configure(choice: FolderChoice): Promise<void> {
    if (this.#at === undefined) this.#choice = { ...this.#choice, ...choice };
    else if (Object.keys(choice).length > 0) {
      const params = { root: this.#at.root, config: { ...choice } };
      await this.#heard(await this.#loom.call('root.configure', params));
    }
  }

  /** Lets the turn that has reached a spending limit go on, for as much again. */
  async goBeyond(): Promise<void> {
    const params = { ...(await this.#turnParams()), beyond_limits: true };
    this.#awaitAll(await this.#heard(await this.#loom.call('turn.start', params)));
  }

  /** Goes to another node of the same root; the next message goes there. */
  goTo(place: string): void {
    this.#at = { root: this.#rootOrFail(), place };
  }

  /** Resolves when something has happened; rejects when the store has failed. */
  changed(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => (this.#failure === undefined ? resolve() : reject(this.#failure.error));
      if (this.#failure === undefined) this.#wake.push(settle);
      else settle();
    });
  }

  /** Resolves once the search for a title has ended, with the reason none was found if that is so. It takes a moment at most. */
  async titled(): Promise<string | undefined> {
    return this.#titling;
  }

  async #findTitle(choose: () => Promise<ChosenModel>): Promise<string | undefined> {
    try {
      const { provider, model } = await choose();
      const params = { root: this.#rootOrFail(), provider, model, time_limit_ms: longestTitling };
      return orFail(await this.#loom.call('root.suggest_title', params)).failure;
    } catch (error) {
      if (error instanceof LoomError) return error.message;
      this.#fail(error);
      return undefined;
    }
  }

  close(): void {
    this.#children.close();
    this.#feed?.close();
  }

  async #begin(): Promise<{ root: string; place: string }> {
    const { systemPrompt } = this.#start;
    // null removes what a conversation has; a new one has nothing.
    const { tools, provider_tools: atProvider, instructions, ...choice } = this.#choice;
    const config = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...choice,
      ...(tools === undefined || tools === null ? {} : { tools }),
      ...(atProvider === undefined || atProvider === null ? {} : { provider_tools: atProvider }),
      ...(instructions === undefined || instructions === null ? {} : { instructions }),
    };
    const { root } = orFail(await this.#loom.call('root.create', { config }));
    this.#at = { root, place: root };
    await this.#listen(root);
    return this.#at;
  }

  async #tell(content: SaidContent, send: (turn: string) => Promise<Outcome<null>>): Promise<void> {
    const turn = [...this.#turns.live].at(-1);
    this.#said.push(wordsOf(content));
    const outcome = turn === undefined ? undefined : await send(turn);
    if (outcome === undefined || (!outcome.ok && outcome.refusal.reason === 'turn-ended')) {
      this.#said.pop();
      return this.say(content);
    }
    await this.#heard(outcome);
  }

  async #listen(root: string): Promise<void> {
    this.#feed = await this.#loom.follow(root, {
      onChange: (what) => this.#hear(what),
      onFailure: (error) => this.#fail(error),
    });
    await this.#feed.open();
  }

  /** Returns the value of an operation, once the feed has delivered its changes. */
  async #heard<T>(outcome: Outcome<T>): Promise<T> {
    if (outcome.ok) await this.#feed?.reach(outcome.cursor);
    return orFail(outcome);
  }

  /** Starts over after a snapshot, in which everything may be different: looks up the running turns instead of following events. */
  #lookAround(): void {
    const { turns = [], waiting = [] } = this.#feed?.replica.root ?? {};
    this.#turns.reset(turns, this.nodes, this.place);
    this.#waiting.clear();
    for (const { id, turn } of waiting) if (!this.#turns.isElsewhere(turn)) this.#waiting.set(id, turn);
    for (const node of this.nodes.values()) if (!this.#turns.isElsewhere(node.turn)) this.calls.note(node);
  }

  #hear(item: ReplicaChange): void {
    if (item.type === 'snapshot') this.#lookAround();
    if (item.type !== 'change') return this.#wakeAll();
    try {
      for (const event of item.events) {
        const turn = 'turn' in event ? event.turn : item.turn;
        if (event.type === 'turn-started') this.#turns.begin(event.turn, event.node, this.place);
        if (this.#turns.isElsewhere(turn)) {
          if (event.type === 'turn-ended') this.#turns.end(event.turn);
          continue;
        }
        this.calls.hear(event);
        this.#follow(event);
        this.listener(event);
      }
    } catch (error) {
      // A failure to show an event ends the conversation; it must not make the log fail.
      this.#failure ??= { error };
    }
    if (item.turn !== undefined && item.events.every(({ type }) => type !== 'turn-started')) this.#await(item.turn);
    this.#wakeAll();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #follow(event: FeedEvent): void {
    if (event.type === 'node-added') {
      if (this.#at !== undefined && event.node.parent === this.#at.place) {
        this.#at.place = event.node.id;
        this.#noteSaid(event.node);
      }
    } else if (event.type === 'block-added') {
      if (event.block.type === 'conversation') this.#children.begin(event.block.root);
    } else if (event.type === 'turn-started') {
      if (this.#saidHere.has(event.node)) this.#own.add(event.turn);
      this.#isAnswerDue = false;
    } else if (event.type === 'turn-ended') {
      this.#turns.end(event.turn);
      const { titleModel } = this.#start;
      if (event.reason === 'done' && titleModel !== undefined) this.#titling ??= this.#findTitle(titleModel);
      // Messages that are given back get no answer.
      if (event.reason === 'aborted')
        for (const [id, turn] of this.#waiting) if (turn === event.turn) this.#waiting.delete(id);
    } else if (event.type === 'message-waiting') {
      this.#waiting.set(event.id, event.turn);
    } else if (event.type === 'message-taken') {
      const turn = this.#waiting.get(event.id);
      if (turn !== undefined && !this.#turns.live.has(turn)) this.#isAnswerDue = true;
      this.#waiting.delete(event.id);
    }
  }

  /** Shows messages from elsewhere; those from here are on the screen already. */
  #noteSaid({ id, role, blocks }: NodeState): void {
    if (role !== 'user' || this.isCompacting) return;
    const words = wordsOf(blocks);
    const own = this.#said.indexOf(words);
    if (own === -1) this.overheard(words);
    else {
      this.#said.splice(own, 1);
      this.#saidHere.add(id);
    }
  }

  /** Receives the failure if a turn cannot go on because the store has failed. */
  #await(turn: string): void {
    if (this.#awaited.has(turn)) return;
    this.#awaited.add(turn);
    this.#loom.turnOver(turn).catch((error: unknown) => this.#fail(error));
  }

  #rootOrFail(): string {
    if (this.#at === undefined) throw new ReferenceError('the conversation has not begun');
    return this.#at.root;
  }
}

function wordsOf(content: string | readonly MessageBlock[]): string {
  return typeof content === 'string' ? content : content.map((block) => renderBlockAsText(block)).join('\n');
}

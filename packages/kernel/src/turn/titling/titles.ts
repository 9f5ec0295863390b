import { z } from 'zod';
import type { BlobPort } from '../../blob-port.ts';
import { CallRecorder } from '../../calls/call-recorder.ts';
import type { CallRecords } from '../../calls/call-records.ts';
import type { Forest } from '../../forest/forest.ts';
import { senderOf } from '../../forest/sender.ts';
import { isoTime } from '../../iso-time.ts';
import type { Request } from '../../request.ts';
import type { Clock, Ids, NamedModel, TitleModelPort } from '../../ports.ts';
import type { Provider, ProviderCall, ProviderRequest } from '../../provider.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import type { Usage } from '../../node-metadata.ts';
import type { RootState } from '../../state/root-state.ts';
import type { Registry } from '../registry.ts';
import { listenTo } from '../speaking/provider-door.ts';
import type { HeardEvent } from '../speaking/provider-door.ts';
import { Steering } from '../speaking/steering.ts';
import { createStopController } from '../stop-controller.ts';
import { StopPatience } from '../stop-patience.ts';
import { beginningOf, readTitle, titleQuestion } from './title-words.ts';
import { TurnStopped } from '../turn-writer.ts';

export interface TitlesOptions {
  forest: Forest;
  registry: Registry;
  records: CallRecords;
  blobs: BlobPort;
  clock: Clock;
  ids: Ids;
  /** Shows people work that goes on while it does. */
  showWork: <T>(about: ShownWork, work: (job: { signal: AbortSignal }) => Promise<T>) => Promise<T>;
  /** Chooses the model that gives conversations titles on its own; without one none does. */
  titleModels?: TitleModelPort;
  failed: (error: unknown) => void;
}

/** The work of finding a title as lists of work show it. */
interface ShownWork {
  kind: string;
  agent: string;
  root: string;
  words: string;
}

export interface TitleParams {
  provider: string;
  model: string;
  /** The longest time that the model may take, in milliseconds. */
  timeLimit: number;
  /** Given when it is to end. */
  signal?: AbortSignal;
  /** Called when the model is asked: not for a conversation that has a title. */
  asked?: () => void;
  /** Told what the call has used, once, if the model was asked and its provider says so. */
  used?: (usage: Usage) => void;
}

export const suggestedTitle = z.strictObject({
  title: z.string().exactOptional().describe('The current title; absent if there is none.'),
  failure: z.string().exactOptional().describe('Why the model produced no title.'),
});
type SuggestedTitle = z.infer<typeof suggestedTitle>;

/** Lets models find titles for conversations that have none. No turn waits for it, and a title that a person gives wins. */
export class Titles {
  readonly #options: TitlesOptions;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  /** The searches under way, by conversation: who asks meanwhile gets the same answer, and nothing is paid twice. */
  readonly #searches = new Map<string, Promise<Outcome<SuggestedTitle>>>();
  /** The conversations for which a title was looked for without being asked. */
  readonly #tried = new Set<string>();
  #isResting = false;

  constructor(options: TitlesOptions) {
    this.#options = options;
  }

  async suggest(request: Request, root: string, params: TitleParams): Promise<Outcome<SuggestedTitle>> {
    const { forest, registry } = this.#options;
    const provider = registry.provider(params.provider);
    if (provider === undefined) {
      const providers = registry.providers.map(({ id }) => id);
      return refuse({ reason: 'unknown-provider', provider: params.provider, providers });
    }
    const unknown = await forest.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    // Before the words: one that is older than they are keeps nothing of them.
    const { epoch } = await forest.log(root).cursor();
    const state = await forest.log(root).state();
    if (state.deleted) return refuse({ reason: 'root-deleted', root });
    if (state.title !== undefined) return { ok: true, value: { title: state.title } };
    const words = beginningOf(state);
    if (words === '') return refuse({ reason: 'nothing-to-answer', node: root });
    const search = this.#searches.get(root);
    if (search !== undefined) return search;
    params.asked?.();
    const stop = createStopController();
    params.signal?.addEventListener('abort', () => stop.abort());
    if (params.signal?.aborted === true) stop.abort();
    const before = { epoch, purged: purgedIn(state) };
    const found = this.#find(provider, params, { root, words, request, stop, before });
    this.#running.set(stop, found);
    this.#searches.set(root, found);
    return found.finally(() => {
      this.#running.delete(stop);
      this.#searches.delete(root);
    });
  }

  /** Returns the model of the settings for titles that a person asks for, if there is one. */
  async usual(): Promise<NamedModel | undefined> {
    return this.#options.titleModels?.usual();
  }

  /** Looks for a title once a turn has ended in a conversation that has none, once in this process. No caller waits for it. */
  laterFor(root: string, turn: string): void {
    const { titleModels, failed } = this.#options;
    if (titleModels === undefined || this.#tried.has(root)) return;
    this.#giveTitle(titleModels, root, turn).catch((error: unknown) => {
      if (!this.#isResting) failed(error);
    });
  }

  async #giveTitle(models: TitleModelPort, root: string, turn: string): Promise<void> {
    const { forest, showWork, ids } = this.#options;
    const { title, deleted, turns, config } = await forest.log(root).state();
    const { provider, ended } = turns.get(turn) ?? {};
    if (title !== undefined || deleted || provider === undefined || ended?.reason !== 'done') return;
    // An agent of another conversation: its task names it.
    if (senderOf(config) !== undefined) return;
    const chosen = await models.afterAnswer(provider);
    if (chosen === undefined || this.#isResting || this.#tried.has(root)) return;
    this.#tried.add(root);
    const about = { kind: 'root.suggest_title', agent: titleAgent, root, words: `${chosen.model} looks for a title` };
    const request = { agent: titleAgent, id: ids.next() };
    await showWork(about, ({ signal }) => this.suggest(request, root, { ...chosen, timeLimit: usualTime, signal }));
  }

  /** Ends the calls under way. */
  async rest(): Promise<void> {
    this.#isResting = true;
    for (const stop of this.#running.keys()) stop.abort();
    await Promise.allSettled(this.#running.values());
  }

  async #find(
    provider: Provider,
    { model, timeLimit, used = () => {} }: TitleParams,
    { root, words, request, stop, before }: Search,
  ): Promise<Outcome<SuggestedTitle>> {
    const { forest, clock } = this.#options;
    const cancel = clock.after(timeLimit, () => stop.abort());
    const said = await this.#ask(provider, requestFor(root, model, words), { stop, epoch: before.epoch, used }).finally(
      cancel,
    );
    if ('failure' in said) return { ok: true, value: said };
    const title = readTitle(said.text);
    if (title === '') return { ok: true, value: { failure: `${provider.id}:${model} answered without a title` } };
    // Not in the name of the caller, who would find it among the changes they can undo.
    const change = { agent: titleAgent, id: `${request.agent}/${request.id}` };
    return forest.change<SuggestedTitle>(change, root, suggestedTitle, (now) => {
      // A person may have given one meanwhile.
      if (now.title !== undefined) return { ok: true, ops: [], value: { title: now.title } };
      // The title may quote words that were purged meanwhile.
      if (now.deleted || purgedIn(now) > before.purged)
        return { ok: true, ops: [], value: { failure: 'what it was made of is gone' } };
      return { ok: true, ops: [{ type: 'root-changed', title }], value: { title } };
    });
  }

  /** Returns the model's words, or the reason that there are none. */
  async #ask(
    provider: Provider,
    request: ProviderRequest,
    { stop, epoch, used }: { stop: AbortController; epoch: string; used: (usage: Usage) => void },
  ): Promise<{ text: string } | { failure: string }> {
    const { clock, blobs } = this.#options;
    const recorder = new CallRecorder();
    recorder.epoch = epoch;
    const steering = new Steering();
    steering.end();
    const call: ProviderCall = {
      signal: stop.signal,
      blobs,
      steering,
      decide: () => Promise.reject(new Error('no person is asked about a title')),
      session: () => Promise.resolve({ ok: false, refusal: { reason: 'nothing-said' } }),
      record: (part, bytes) => recorder.record(part, bytes),
    };
    const listener = new TextListener();
    const stopped = { failure: `${provider.id}:${request.model} was stopped before it had a title` };
    try {
      for await (const event of listenTo(provider, request, call, new StopPatience(stop.signal, clock))) {
        if (stop.signal.aborted) return stopped;
        if (event.type === 'call-error') return { failure: event.error.message };
        listener.hear(event);
        if (listener.text.length > longestAnswer) break;
      }
      return { text: listener.text };
    } catch (error) {
      if (!(error instanceof TurnStopped)) throw error;
      return stopped;
    } finally {
      stop.abort();
      if (listener.usage !== undefined) used(listener.usage);
      this.#keep(provider, request, recorder);
    }
  }

  #keep({ id: provider }: Provider, { root, node: after, model }: ProviderRequest, recorder: CallRecorder): void {
    const { records, clock, ids } = this.#options;
    const ended_at = isoTime(clock.now());
    records.keep(root, { id: ids.next(), after, nodes: [], provider, model, ended_at }, recorder);
  }
}

/** The search for one title. */
interface Search {
  root: string;
  words: string;
  request: Request;
  stop: AbortController;
  /** The epoch of the log, and the number of purged blocks in it, when the words were read. */
  before: { epoch: string; purged: number };
}

function purgedIn({ nodes }: RootState): number {
  let purged = 0;
  for (const { blocks } of nodes.values()) for (const block of blocks) if (block.purged === true) purged += 1;
  return purged;
}

function requestFor(root: string, model: string, words: string): ProviderRequest {
  return {
    root,
    node: root,
    model,
    messages: [{ role: 'user', content: [{ type: 'text', text: titleQuestion(words) }] }],
    tools: [],
    maxTokens: mostTokens,
    settings: {},
    invalid: [],
    trail: [],
  };
}

/** Gathers the texts of an answer and what it used, and nothing else of it. */
class TextListener {
  text = '';
  usage: Usage | undefined;
  readonly #keys = new Set<string>();

  hear(event: HeardEvent): void {
    if (event.type === 'usage') this.usage = event.usage;
    else if (event.type === 'block-start' && event.block.type === 'text') {
      this.#keys.add(event.key);
      this.text += event.block.text;
    } else if (event.type === 'block-delta' && this.#keys.has(event.key)) this.text += event.text;
    else if (event.type === 'block' && event.block.type === 'text') this.text += event.block.text;
  }
}

const titleAgent = 'loom:title';
/** The longest time that a model may take for a title, in milliseconds. */
export const usualTime = 30_000;
const longestAnswer = 2_000;
/** Some models think before they answer. */
const mostTokens = 1_000;

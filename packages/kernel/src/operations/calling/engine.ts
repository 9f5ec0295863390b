import type { Catalogue, Pricing, TokenPrice } from '@loom/blocks';
import type { BlobPort } from '../../blob-port.ts';
import { BlockTools } from '../../block-tools/block-tools.ts';
import { CallRecords } from '../../calls/call-records.ts';
import type { CallKeeping } from '../../calls/call-records.ts';
import type { Cursor } from '../../cursor.ts';
import type { FeedEvent } from '../../state/feed.ts';
import { followLog } from '../../log/follow-log.ts';
import { Forest } from '../../forest/forest.ts';
import type { ForestOptions } from '../../forest/forest-options.ts';
import { Homes } from '../../homes/homes.ts';
import { ProjectPlaces } from '../../forest/project-places.ts';
import { ListFeed } from '../../forest/list-feed.ts';
import { Jobs } from '../../jobs/jobs.ts';
import { noLosses } from '../../losses.ts';
import type { LossPort } from '../../losses.ts';
import type { FeedItem } from '../../log/log-shape.ts';
import { BoundRequests } from './bound-requests.ts';
import { callOperation, tableOf } from './call-operation.ts';
import type { Caller, Operation } from '../operation.ts';
import { Catalog } from '../listing/catalog.ts';
import { kernelOperations } from '../table.ts';
import type { ParamsOf, ResultOf } from '../table.ts';
import type {
  AgentPromptPort,
  CredentialPort,
  FolderPort,
  ScratchPort,
  Hash,
  ProcessPort,
  RuleKeeper,
  TitleModelPort,
} from '../../ports.ts';
import type { CopiesPort } from '../../purge/purge-blocks.ts';
import type { PurgePlan, PurgeTarget } from '../../purge/purge-plan.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import type { Request } from '../../request.ts';
import { blobsOf, spoolsOf } from '../../store.ts';
import type { RootState } from '../../state/root-state.ts';
import type { TextIndex } from '../../search/text-index.ts';
import type { FindTokenizer } from '../../turn/room/output-room.ts';
import { RowTools } from '../turns/row-tools.ts';
import type { OfferingProvider } from '../../turn/offering/provider-offers.ts';
import { Registry } from '../../turn/registry.ts';
import type { Registered } from '../../turn/registry.ts';
import { AgentTurns } from '../../turn/holding/agent-turns.ts';
import { RootRecovery } from '../../turn/holding/root-recovery.ts';
import { RunningTurns } from '../../turn/holding/running-turns.ts';
import { TurnLeases } from '../../turn/holding/turn-leases.ts';
import type { SessionPort } from '../../turn/speaking/branch-session.ts';
import type { SpendingScope } from '../../turn/spending/spending-limits.ts';
import { Titles } from '../../turn/titling/titles.ts';
import { Turns } from '../../turn/turns.ts';

/** Everything that the kernel is handed: it makes no call to the world on its own. */
export interface EngineOptions extends ForestOptions, Registered {
  hash: Hash;
  /** Keeps the requests and responses of providers, for people who want to see them; without it they are not kept. */
  keepCalls?: CallKeeping;
  /** The id of this process among all that may write to the store. */
  holder: string;
  /** Numbers from 0 up to 1, by which processes that look for the same things do not look at the same moment. */
  random?: () => number;
  /** This process alone may write, so that a lease of another process belongs to one that has ended. */
  exclusive?: boolean;
  catalogue?: Catalogue;
  tokenizer?: FindTokenizer;
  /** The most that may be spent before a person is asked. Default: nothing is limited. */
  spendingLimits?: NonNullable<SpendingScope['spendingLimits']>;
  /** Writes branches as sessions of other programs, for agents that go on with them; without one there are none. */
  sessions?: SessionPort;
  /** Tells models about the folder of a conversation; without one they are told nothing. */
  agentPrompts?: AgentPromptPort;
  /** Chooses models for titles; without it callers name them, and no conversation gets a title on its own. */
  titleModels?: TitleModelPort;
  /** Starts programs for tools, and is closed with the engine; without one there are none. */
  processes?: ProcessPort;
  /** Keeps permissions that reach beyond one conversation; without one there are none. */
  rules?: RuleKeeper;
  /** Looks at the folders of conversations; without one a project is told by what imports have noted. */
  folders?: FolderPort;
  /** Gives agents a folder where a conversation has none; without one they are refused there. */
  scratch?: ScratchPort;
  /** Searches conversations without opening them; without one all are opened. */
  index?: TextIndex;
  /** The known losses of the logs. Default: none. */
  losses?: LossPort;
  /** The copies of conversations outside of the store. Default: none. */
  copies?: CopiesPort;
  /** The credentials of callers. Default: nothing ends with one. */
  credentials?: CredentialPort;
  /** Operations of other packages, beside the kernel's own; a function makes them when the first one is asked for. */
  operations?: readonly Operation[] | (() => readonly Operation[]);
  /** Called before a root is opened, so that the records of other programs about it are imported first. */
  beforeOpen?: (root: string) => Promise<void>;
  /** Returns true if the open turns and blocks of a root belong to no running process; by default leases tell. */
  isOwnerless?: (state: RootState) => Promise<boolean>;
}

/** A model that asks for something, and the conversation that it may use. */
interface ModelCaller {
  root: string;
  agent: string;
}

/** The kernel's front: conversations, and the turns that go on in them. */
export class LoomEngine {
  readonly forest: Forest;
  /** The data that people and projects keep beside conversations. */
  readonly homes: Homes;
  readonly blocks: BlockTools;
  readonly turns: Turns;
  readonly titles: Titles;
  readonly records: CallRecords;
  readonly registry: Registry;
  /** Long work that can be seen and cancelled. */
  readonly jobs: Jobs;
  /** The projects that conversations belong to. */
  readonly projects: ProjectPlaces;
  /** All conversations with what lists filter and count by. */
  readonly catalog: Catalog;
  /** The changes of the list of conversations. */
  readonly list: ListFeed;
  readonly hash: Hash;
  /** The last requests that changed something, with their answers. */
  readonly requests: BoundRequests;
  /** The known losses of the logs. */
  readonly losses: LossPort;
  /** Pictures, files and long outputs. */
  readonly blobs: BlobPort;
  #table: ReadonlyMap<string, Operation> | undefined;
  readonly #rowTools = new RowTools();
  readonly #options: EngineOptions;
  readonly #running: RunningTurns;
  readonly #recovery: RootRecovery;
  readonly #agents: AgentTurns;
  readonly #resting = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { store } = options;
    this.hash = options.hash;
    this.losses = options.losses ?? noLosses;
    if (typeof options.operations !== 'function') this.#all();
    this.forest = new Forest(options);
    this.homes = new Homes(options);
    const { clock, listenerFailed: failed = () => {} } = options;
    this.requests = new BoundRequests(clock);
    this.jobs = new Jobs({ clock, ids: options.ids, failed });
    this.projects = new ProjectPlaces(options);
    this.catalog = new Catalog(this);
    this.list = new ListFeed({ forest: this.forest, projects: this.projects, clock, failed });
    this.blocks = new BlockTools({ ...options, forest: this.forest });
    this.registry = new Registry(
      options,
      {
        find: (name) => this.#rowTools.find(name, this.operations),
        all: () => this.#rowTools.all(this.operations),
      },
      (provider) => this.#agents.attach(provider),
    );
    this.records = new CallRecords({ ...options, forest: this.forest });
    const blobs = blobsOf(store);
    this.blobs = blobs;
    const leftOpen = (root: string): void => this.#recovery.later(root);
    const parts = {
      ...options,
      forest: this.forest,
      registry: this.registry,
      records: this.records,
      leases: new TurnLeases(options),
      callAs: (model: ModelCaller, operation: string, params: unknown) => this.#callAs(model, operation, params),
      blobs,
      spools: spoolsOf(store),
      leftOpen,
    };
    this.#running = new RunningTurns({
      ...parts,
      ended: (root, turn) => {
        this.titles.laterFor(root, turn);
        return this.turns.answerWaiting(root, turn);
      },
    });
    this.turns = new Turns({ ...parts, running: this.#running });
    this.#agents = new AgentTurns({ ...parts, running: this.#running, resting: this.resting, failed });
    this.titles = new Titles({ ...parts, showWork: (about, work) => this.jobs.run(about, work), failed });
    this.#recovery = new RootRecovery({
      ...parts,
      running: this.#running,
      recoverRoot: (root) => this.recover(root),
      placeWaiting: (root, turn) => this.turns.placeWaiting(root, turn),
      answerWaiting: (root, turn) => this.turns.answerWaiting(root, turn),
    });
  }

  /** The turns that agents begin without being asked. */
  get agentTurns(): Pick<AgentTurns, 'subscribe'> {
    return this.#agents;
  }

  /** Everything that can be asked for with `call`. */
  get operations(): readonly Operation[] {
    return [...this.#all().values()];
  }

  #callAs({ root, agent }: ModelCaller, operation: string, params: unknown): Promise<Outcome<unknown>> {
    const id = this.#options.ids.next();
    const caller: Caller = { agent, type: 'model', role: 'writer', roots: [root], door: 'model', id };
    return this.call(operation, caller, params);
  }

  #all(): ReadonlyMap<string, Operation> {
    const { operations: added = [] } = this.#options;
    this.#table ??= tableOf([...kernelOperations, ...(typeof added === 'function' ? added() : added)]);
    return this.#table;
  }

  /** Acknowledges the losses on a person's behalf: they are no longer reported. Returns the number of logs concerned. */
  async acknowledgeLosses(request: Request): Promise<Outcome<number>> {
    const { lost } = this.losses;
    if (lost.size === 0) return { ok: true, value: 0 };
    // First in the log, where every process reads it, with the agent and the time.
    const noted = await this.forest.acknowledgeLosses(request, lost);
    return noted.ok ? { ok: true, value: await this.losses.acknowledge() } : noted;
  }

  /** Plans the complete removal of some blocks or conversations. Changes nothing. */
  async planPurge(target: PurgeTarget): Promise<Outcome<PurgePlan>> {
    const { planPurge } = await import('../../purge/purge-plan.ts');
    const { store, copies = {} } = this.#options;
    return { ok: true, value: await planPurge({ forest: this.forest, store, copies }, target) };
  }

  /** Removes some blocks or conversations completely. */
  async purge(target: PurgeTarget): Promise<Outcome<PurgePlan>> {
    const { noCopies, purgeBlocks } = await import('../../purge/purge-blocks.ts');
    const { store, copies = noCopies } = this.#options;
    const outcome = await purgeBlocks({ forest: this.forest, store, copies }, target);
    // Answers may quote words that are gone. Answers in a log are still bound to their requests there.
    if (outcome.ok) this.requests.clear();
    return outcome;
  }

  /** Aborted when this process begins to end its work. */
  get resting(): AbortSignal {
    return this.#resting.signal;
  }

  /** Returns the context window of a model in tokens, if the catalogue knows it and can tell. */
  async windowOf(provider: string, model: string): Promise<number | undefined> {
    try {
      const { contextWindow } = (await this.#options.catalogue?.capsOf(provider, model)) ?? {};
      return contextWindow !== undefined && Number.isSafeInteger(contextWindow) ? contextWindow : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the price of a model's tokens, if the catalogue knows it and can tell. */
  async priceOf(provider: string, model: string): Promise<TokenPrice | undefined> {
    try {
      return await this.#options.catalogue?.priceOf?.(provider, model);
    } catch {
      return undefined;
    }
  }

  /** Prices calls of the past; without a catalogue that can, none has a price. */
  async pricing(): Promise<Pricing> {
    try {
      return (await this.#options.catalogue?.pricing?.()) ?? (() => undefined);
    } catch {
      return () => undefined;
    }
  }

  /** Calls an operation of the table: the one way in, for every door. Once the engine is being closed, only reads are possible. */
  call<Name extends string>(name: Name, caller: Caller, params: ParamsOf<Name>): Promise<Outcome<ResultOf<Name>>>;
  call(name: string, caller: Caller, params: unknown): Promise<Outcome<unknown>> {
    const operation = ownTable().get(name) ?? this.#all().get(name);
    return callOperation(this, operation, { name, caller, params });
  }

  /**
   * Returns the state of a root, once everything that an earlier process left open is closed; looks for that the first time
   * that this process opens it. Refuses a root that does not exist, and keeps nothing of it.
   */
  async open(root: string): Promise<Outcome<RootState>> {
    if (!(await this.forest.has(root))) return refuse({ reason: 'root-not-found', root });
    await this.#options.beforeOpen?.(root);
    return { ok: true, value: await this.#recovery.settle(root) };
  }

  /**
   * Yields the changes that become durable in a root, in order and each once: after a cursor, or from the answer on. Ends
   * with the loop that reads it, or with the engine. Refuses a root that does not exist, and keeps nothing of it.
   */
  async feed(root: string, cursor?: Cursor): Promise<Outcome<AsyncIterable<FeedItem<FeedEvent>>>> {
    const opened = await this.open(root);
    if (!opened.ok) return opened;
    return { ok: true, value: followLog(this.forest.log(root), { cursor, signal: this.resting }) };
  }

  /**
   * Closes what a crash left open in a root: ends its turns or leaves them to a person's decision, and puts messages that
   * were accepted for them in their place. `open` does it where it is due.
   */
  recover(root: string): Promise<void> {
    return this.#recovery.recover(root);
  }

  /**
   * Takes care of the turns of other processes that are gone, in all conversations: ends them within 20 seconds and answers what waited for
   * their end. For processes that stay, over a store that others use as well.
   */
  keepWatch(): void {
    this.#recovery.keepWatch();
  }

  /** Stops the work of this process; words said until now stay. Nothing is begun from then on. */
  async rest(): Promise<void> {
    this.#resting.abort();
    this.#recovery.stop();
    // Jobs that wait for a turn end with it.
    const jobs = this.jobs.rest();
    await this.titles.rest();
    await this.#running.rest();
    await jobs;
    await this.records.idle();
  }

  /** The time, in milliseconds since 1970. */
  now(): number {
    return this.#options.clock.now();
  }

  /** Lets everything else in the process run. */
  pause(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(0, resolve));
  }

  /** Asks the providers that have offers for them. */
  offers(): Promise<OfferingProvider[]> {
    return this.registry.offers(this.#options.clock);
  }

  /** Ends all work of this process, once. Running turns stay open in the log, for the next process to recover. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.rest();
    this.requests.clear();
    await this.registry.closeProviders(this.#options.clock);
    await this.#options.processes?.close();
    // A store that fails now was reported before; acknowledged changes are in the log.
    await this.forest.saveSnapshots().catch(() => {});
    await this.homes.saveSnapshots().catch(() => {});
    this.forest.close();
    this.homes.close();
  }
}

/** The kernel's own operations by name; those of other packages are not made for a call of one of these. */
function ownTable(): ReadonlyMap<string, Operation> {
  own ??= tableOf(kernelOperations);
  return own;
}

let own: ReadonlyMap<string, Operation> | undefined;

import { modelAgentId } from '@loom/blocks';
import type { Catalogue } from '@loom/blocks';
import type { BlobPort, SpoolPort } from '../../blob-port.ts';
import type { CallRecords } from '../../calls/call-records.ts';
import type { Forest } from '../../forest/forest.ts';
import { pathTo } from '../../state/tree/tree.ts';
import type { Clock, Hash, Ids, ProcessPort, RuleKeeper } from '../../ports.ts';
import type { Provider } from '../../provider.ts';
import type { FindTokenizer } from '../room/output-room.ts';
import type { Registry } from '../registry.ts';
import type { EndReason } from '../turn-decisions.ts';
import type { TurnLeases } from './turn-leases.ts';
import type { SpendingScope } from '../spending/spending-limits.ts';
import type { SessionPort } from '../speaking/branch-session.ts';
import { patientBlobs, StorePatience } from './store-patience.ts';
import { TurnRunner } from '../turn-runner.ts';
import type { CallAs } from '../tools/call-surroundings.ts';

/** The parts needed to run turns. */
export interface RunningTurnsOptions {
  forest: Forest;
  registry: Registry;
  leases: TurnLeases;
  blobs: BlobPort;
  spools: SpoolPort;
  clock: Clock;
  ids: Ids;
  hash: Hash;
  holder: string;
  records: CallRecords;
  callAs: CallAs;
  sessions?: SessionPort;
  processes?: ProcessPort;
  rules?: RuleKeeper;
  catalogue?: Catalogue;
  spendingLimits?: NonNullable<SpendingScope['spendingLimits']>;
  tokenizer?: FindTokenizer;
  /** Called when a turn has ended, while its lease is still held. */
  ended: (root: string, turn: string) => Promise<void>;
  /** Called when something may have stayed open in a root. */
  leftOpen: (root: string) => void;
}

/** The end of a turn of this process; `stopped`: it was halted, and another process logs its end. */
export type HowEnded = EndReason | 'stopped';

/** The turns that run in this process, and those that it is about to do something to. */
export class RunningTurns {
  readonly #options: RunningTurnsOptions;
  readonly #running = new Map<string, { root: string; runner: TurnRunner; done: Promise<HowEnded> }>();
  /** The work that this process is about to do on turns: to start them, take them over or recover them. */
  readonly #claims = new Map<string, Promise<unknown>>();
  #isResting = false;

  constructor(options: RunningTurnsOptions) {
    this.#options = options;
  }

  /** Does something to a turn that this process does not run, one thing at a time; `undefined` if it runs it. */
  async claim<T>(turn: string, work: () => Promise<T>): Promise<T | undefined> {
    const before = this.#claims.get(turn) ?? Promise.resolve();
    const claim = before.catch(() => {}).then(() => (this.#running.has(turn) ? undefined : work()));
    this.#claims.set(turn, claim);
    try {
      return await claim;
    } finally {
      if (this.#claims.get(turn) === claim) this.#claims.delete(turn);
    }
  }

  /** Does something with turns that are about to begin; claims of them wait for it. */
  async claimNew<T>(turns: readonly string[], work: () => Promise<T>): Promise<T> {
    const { promise: claim, resolve: giveUp } = Promise.withResolvers<void>();
    for (const turn of turns) this.#claims.set(turn, claim);
    try {
      return await work();
    } finally {
      for (const turn of turns) if (this.#claims.get(turn) === claim) this.#claims.delete(turn);
      giveUp();
    }
  }

  /**
   * Runs a turn that belongs to this process. False if it does not, or is over, or the process rests. The caller has claimed it. `begun`: what an agent says in a
   * turn that it has begun.
   */
  async run(root: string, turn: string, begun?: Provider['stream']): Promise<boolean> {
    const { forest, registry, catalogue, tokenizer, ended: _ended, leftOpen: _leftOpen, ...parts } = this.#options;
    const log = forest.log(root);
    // A turn that another process has left open may need tools that this one has yet to start.
    await registry.toolsReady();
    const now = await log.state();
    const started = now.turns.get(turn);
    const provider = registry.provider(started?.provider ?? '');
    if (started === undefined || provider === undefined || started.ended !== undefined) return false;
    if (started.holder !== parts.holder) return false;
    // Everything that a model is shown is as it was when the turn started.
    const state = now.seq === started.started ? now : await log.past.stateAt(started.started);
    // Nothing would stop it any more: it stays open, for the next process.
    if (this.#isResting) return false;
    const patience = new StorePatience(parts.clock);
    const runner = new TurnRunner({
      ...parts,
      patience,
      blobs: patientBlobs(parts.blobs, patience),
      ...(catalogue === undefined ? {} : { catalogue }),
      root,
      log,
      turn,
      agent: modelAgentId(started.provider, started.model),
      provider,
      ...(begun === undefined ? {} : { begun }),
      findTool: (name) => registry.tool(name),
      config: state.config,
      caps: () => catalogue?.capsOf(started.provider, started.model),
      tokenizer: () => tokenizer?.(started.provider, started.model),
      base: pathTo(state, started.node),
      forest,
    });
    const done = this.#runToEnd(root, turn, runner);
    // A caller that waits hears of a failure; no caller has to wait.
    done.catch(() => {});
    this.#running.set(turn, { root, runner, done });
    return true;
  }

  /** Resolves when a turn of this process is over, with how it ended; at once for any other. */
  async wait(turn: string): Promise<HowEnded | undefined> {
    return this.#running.get(turn)?.done;
  }

  /** Stops a turn of this root that this process runs, without logging its end. */
  async halt(root: string, turn: string): Promise<void> {
    const running = this.#running.get(turn);
    if (running?.root === root) await running.runner.halt();
  }

  get size(): number {
    return this.#running.size;
  }

  /** The number of turns that do not wait for a person. */
  get atWork(): number {
    return this.#running
      .values()
      .filter(({ runner }) => !runner.isWaiting)
      .toArray().length;
  }

  /** Resolves when no turn runs in this process, those included that queued messages have started. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  /** Stops all of them; their words so far stay, and messages that wait for their end are not answered. */
  async rest(): Promise<void> {
    this.#isResting = true;
    const running = [...this.#running.values()];
    await Promise.all(
      running.map(async ({ runner, done }) => {
        await runner.halt();
        await done.catch(() => {});
      }),
    );
  }

  async #runToEnd(root: string, turn: string, runner: TurnRunner): Promise<HowEnded> {
    const { leases, ended, leftOpen } = this.#options;
    const stopRenewing = leases.keep(root, turn, () => runner.loseLease());
    try {
      const reason = await runner.run();
      if (reason !== 'stopped') this.#compact(root, turn);
      // Stopped, but perhaps not ended: the call that wanted to end it may have failed.
      if (reason === 'stopped') leftOpen(root);
      // Done while the lease is held, so that no other process takes waiting messages for leftovers.
      else if (!this.#isResting) await ended(root, turn).catch(() => leftOpen(root));
      return reason;
    } catch (error) {
      leftOpen(root);
      throw error;
    } finally {
      stopRenewing();
      this.#running.delete(turn);
      await leases.release(root, turn);
    }
  }

  /** Folds the many small changes that a turn has streamed into few large ones. If that fails they just stay. */
  #compact(root: string, turn: string): void {
    const log = this.#options.forest.log(root);
    log
      .read((state) => state.turns.get(turn)?.started ?? state.seq)
      .then(({ value: started }) => log.compact(started))
      .catch(() => {});
  }
}

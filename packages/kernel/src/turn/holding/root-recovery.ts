import { z } from 'zod';
import { modelAgentId } from '@loom/blocks';
import type { CallAs } from '../tools/call-surroundings.ts';
import { earlierCalls } from '../tools/earlier-calls.ts';
import type { CallAsModel, EarlierCall } from '../../tool.ts';
import type { BlobPort, SpoolPort } from '../../blob-port.ts';
import type { Forest } from '../../forest/forest.ts';
import type { Ask } from '../../op.ts';
import type { Clock, Hash, Ids, ProcessPort } from '../../ports.ts';
import { surroundingsOf } from '../../root-settings.ts';
import type { Store } from '../../store.ts';
import type { RootState } from '../../state/root-state.ts';
import { blocksWithoutTurn, decideInterruptBlocks, decideRecovery, unaskedCalls } from './recovery.ts';
import type { Registry } from '../registry.ts';
import type { RunningTurns } from './running-turns.ts';
import { keepLeftOutput, rootsWithOutput } from './left-output.ts';
import { findAsks } from '../tools/tool-round.ts';
import { LeaseSweep } from './lease-sweep.ts';
import { leaseTime } from './turn-leases.ts';
import type { TurnLeases } from './turn-leases.ts';

export interface RootRecoveryOptions {
  store: Store;
  forest: Forest;
  registry: Registry;
  leases: TurnLeases;
  running: RunningTurns;
  blobs: BlobPort;
  spools: SpoolPort;
  clock: Clock;
  ids: Ids;
  hash: Hash;
  exclusive?: boolean;
  isOwnerless?: (state: RootState) => Promise<boolean>;
  /** Recovers a root that is opened or was left open: `recover`, by the front's own way in. */
  recoverRoot: (root: string) => Promise<void>;
  random?: () => number;
  /** Puts the messages that waited for a turn in their place. */
  placeWaiting: (root: string, turn: string) => Promise<unknown>;
  /** Puts them there, and lets the model of that turn answer. */
  answerWaiting: (root: string, turn: string) => Promise<void>;
  callAs: CallAs;
  processes?: ProcessPort;
}

/** The wait before another look at what a failure left open, in milliseconds. */
const recoveryDelay = 1_000;

/** Closes what processes that are gone have left open in roots. */
export class RootRecovery {
  readonly #options: RootRecoveryOptions;
  /** The last recovery of each root, as long as it is under way. */
  readonly #recovering = new Map<string, Promise<void>>();
  /** Functions that call off the planned recoveries, by root. */
  readonly #planned = new Map<string, () => void>();
  /** Roots in which nothing is open that was there before this process. */
  readonly #settled = new Set<string>();
  /** Roots in which output was left in spools before this process began. */
  #leftOutput: Promise<Set<string>> | undefined;
  #isStopped = false;
  #keepsWatch = false;

  readonly #sweep: LeaseSweep;

  constructor(options: RootRecoveryOptions) {
    this.#options = options;
    this.#sweep = new LeaseSweep(options);
  }

  /** Ends the turns of other processes that are gone, and answers what waited for their end, from now on. For processes that stay. */
  keepWatch(): void {
    this.#keepsWatch = true;
    this.#sweep.keepLooking();
  }

  /**
   * Returns the state of a root, once everything that an earlier process left open is closed; looks for that only the first
   * time.
   */
  async settle(root: string): Promise<RootState> {
    const { forest, isOwnerless, recoverRoot } = this.#options;
    this.#sweep.start();
    const log = forest.log(root);
    const { value: state } = await log.read((committed) => committed);
    if (this.#settled.has(root)) return state;
    this.#leftOutput ??= rootsWithOutput(this.#options.spools);
    const isOpen =
      state.liveTurns.size > 0 ||
      state.waiting.size > 0 ||
      blocksWithoutTurn(state).length > 0 ||
      (await this.#leftOutput).has(root);
    const mayRecover = isOpen && ((await isOwnerless?.(state)) ?? true);
    if (mayRecover) await recoverRoot(root);
    if (mayRecover || !isOpen) this.#settled.add(root);
    return mayRecover ? (await log.read((committed) => committed)).value : state;
  }

  /** One after the other: the caller wants everything closed when the answer comes. */
  recover(root: string): Promise<void> {
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

  /**
   * Closes what a failing store or a dying process has left open as soon as that is possible, without a new start of the
   * process.
   */
  later(root: string, delay = recoveryDelay): void {
    if (this.#isStopped || this.#planned.has(root)) return;
    const cancel = this.#options.clock.after(delay, () => {
      this.#planned.delete(root);
      this.#options.recoverRoot(root).catch(() => this.later(root));
    });
    this.#planned.set(root, cancel);
  }

  /** Calls off the planned recoveries; none is planned from then on. */
  stop(): void {
    this.#isStopped = true;
    this.#sweep.stop();
    for (const cancel of this.#planned.values()) cancel();
  }

  async #recoverRoot(root: string): Promise<void> {
    const { forest, running, ids, exclusive } = this.#options;
    if ((await forest.refuseUnknown(root)) !== undefined) return;
    const { seq, liveTurns, waiting } = await forest.log(root).state();
    if (seq === 0) return;
    for (const turn of new Set([...liveTurns, ...[...waiting.values()].map((message) => message.turn)])) {
      await running.claim(turn, () => this.#recoverTurn(root, turn));
    }
    await keepLeftOutput(this.#options, root);
    // Only a process that is alone, and only before it has begun to write here, knows that no running writer owns these blocks.
    if (exclusive !== true || this.#settled.has(root)) return;
    const request = { agent: 'loom:recovery', id: ids.next() };
    await forest.log(root).append(request, z.null(), decideInterruptBlocks);
    this.#settled.add(root);
  }

  async #recoverTurn(root: string, turn: string): Promise<void> {
    const { forest, leases, ids, placeWaiting, answerWaiting } = this.#options;
    if (!(await leases.take(root, turn))) {
      // Its process may have ended all the same; that is known when its lease runs out.
      this.later(root, leaseTime);
      return;
    }
    const request = { agent: 'loom:recovery', id: ids.next(), turn };
    try {
      const asks = await this.#asksOf(root, turn);
      const outcome = await forest
        .log(root)
        .append(request, z.strictObject({ open: z.boolean() }), (state) => decideRecovery(state, turn, asks));
      // A process that stays answers in the place of the one that is gone.
      const finish = this.#keepsWatch ? answerWaiting : placeWaiting;
      if (outcome.ok && !outcome.value.open) await finish(root, turn);
    } finally {
      await leases.release(root, turn);
    }
  }

  async #asksOf(root: string, turn: string): Promise<Map<string, Ask>> {
    const { forest, registry, blobs, clock, callAs, processes } = this.#options;
    const state = await forest.log(root).state();
    const calls = unaskedCalls(state, turn);
    const { provider = '', model = '', by } = state.turns.get(turn) ?? {};
    const agent = modelAgentId(provider, model);
    const call: CallAsModel = (operation, params) => callAs({ root, agent }, operation, params);
    const starter = by === undefined ? {} : { startedBy: by };
    const port = processes === undefined ? {} : { processes };
    const before = (): readonly EarlierCall[] => earlierCalls(state, turn);
    const context = {
      root,
      turn,
      agent,
      ...starter,
      ...port,
      ...surroundingsOf(state.config),
      blobs,
      call,
      earlierCalls: before,
    };
    return findAsks(calls, (name) => registry.tool(name), context, clock);
  }
}

import type { ProviderRequest, ToolInvocation } from '@loom/kernel';
import type { AppendRequest } from '@loom/kernel/store';
import { LoomEngine, readRootSettings } from '@loom/kernel';
import { Forest, forestLogName } from '@loom/kernel/logs';
import { StoreError } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import type { MemoryStore } from '@loom/stores/memory';
import { z } from 'zod';
import { Coverage } from './coverage.ts';
import { createFakeAgent } from './fakes/fake-agent.ts';
import { createFakeProvider } from './fakes/fake-provider.ts';
import { createFakeTools } from './fakes/fake-tools.ts';
import { LeaseBook } from './lease-book.ts';
import { LogMonitor, turnsOfRecords } from './log-monitor.ts';
import { plantInEngine, plantInStore } from './planted-fault.ts';
import type { PlantedFault } from './planted-fault.ts';
import { createProcessStore, watchAppends } from './process-store.ts';
import type { Random } from '@loom/kernel/testing';
import { checkRequest } from './request-rules.ts';
import { Scheduler } from './scheduler.ts';
import { simulatedHash } from './simulated-hash.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { Operation } from './simulated-process.ts';
import { checkUnowned } from './state-rules.ts';
import type { Invariant, Violation } from './violation.ts';

/** The whole of a simulation: one conversation, the processes that share it, and their state. */
export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly monitor: LogMonitor;
  readonly coverage = new Coverage();
  readonly violations: Violation[] = [];
  readonly trace: string[] = [];
  /** In starting order; a dead one is replaced by its successor. */
  readonly processes: SimulatedProcess[] = [];
  readonly root = 'root-simulated';
  /** True if agents that run their own tools answer, too. */
  readonly hasAgents: boolean;
  /** The conversations of started agents. */
  readonly children = new Map<string, LogMonitor>();
  /** The texts that models say, in any conversation. */
  readonly #spoken: string[] = [];
  readonly #fault: PlantedFault | undefined;
  readonly #store;
  readonly #leases = new LeaseBook();
  readonly #intruder: Forest;
  #lastId = 0;
  /** The requests that were never answered: the agent that made one may repeat it elsewhere. */
  readonly unanswered: Operation[] = [];

  constructor(random: Random, { fault, hasAgents = false }: { fault?: PlantedFault | undefined; hasAgents?: boolean }) {
    this.random = random;
    this.#fault = fault;
    this.hasAgents = hasAgents;
    this.scheduler = new Scheduler(random);
    this.monitor = this.#follow(this.root);
    const newId = (): string => this.newId('epoch');
    this.#store = createMemoryStore({ now: () => this.scheduler.now, randomId: newId });
    this.#intruder = new Forest({
      store: watchAppends(this.#store.share(), { onAppend: (...seen) => this.#onAppend(...seen) }),
      clock: { now: () => this.scheduler.now, after: () => () => {} },
      ids: { next: () => this.newId('intruder') },
    });
  }

  /** Returns an id that sorts by time and is never given twice in this world. */
  newId(kind: string): string {
    this.#lastId += 1;
    return `${kind}-${String(this.#lastId).padStart(6, '0')}`;
  }

  note(text: string): void {
    this.trace.push(`${this.monitor.state.seq} ${text}`);
  }

  report(invariant: Invariant, message: string): void {
    this.note(`VIOLATION ${invariant}: ${message}`);
    this.violations.push({ invariant, message });
  }

  /** The processes that can act now. */
  get awake(): SimulatedProcess[] {
    return this.processes.filter(({ isFrozen, isAlive, isClosing }) => isAlive && !isFrozen && !isClosing);
  }

  isDead(holder: string): boolean {
    return !this.processes.some((process) => process.isAlive && process.holder === holder);
  }

  /** Returns the process that a turn belongs to. */
  holderOf(turn: string): SimulatedProcess | undefined {
    const holder = this.monitor.state.turns.get(turn)?.holder;
    return this.processes.find((process) => process.isAlive && process.holder === holder);
  }

  start(name: string): SimulatedProcess {
    const holder = this.newId(name);
    const handle = this.#store.share();
    const process = new SimulatedProcess(
      name,
      holder,
      (self) => this.#build(self, handle),
      () => void handle.close(),
    );
    const { engine } = process;
    const site = { engine, root: this.root, holder, newId: () => this.newId('fault') };
    engine.keepWatch();
    plantInEngine({ ...site, isDead: (other) => this.isDead(other) }, this.#fault);
    const place = this.processes.findIndex((other) => other.name === name);
    this.processes.splice(place === -1 ? this.processes.length : place, place === -1 ? 0 : 1, process);
    return process;
  }

  /** Begins the conversation. */
  async begin(): Promise<void> {
    await this.#intruder.log(this.root).append({ agent: 'person', id: 'begin' }, z.null(), (state) => {
      const node = {
        id: state.newNodeId(),
        parent: this.root,
        role: 'user' as const,
        blocks: [{ type: 'text' as const, text: 'begin', block_id: state.newBlockId('person') }],
        source: { type: 'user' as const },
      };
      return {
        ok: true,
        ops: [
          { type: 'root-changed', config: { systemPrompt: 'simulate' } },
          { type: 'node-added', node },
        ],
        value: null,
      };
    });
  }

  /** Ends a process without any warning: its pending work never happens. */
  crash(process: SimulatedProcess): void {
    for (const turn of this.monitor.state.liveTurns) {
      const isHolder =
        this.holderOf(turn) === process || this.#leases.holderOf(leaseKey(this.root, turn)) === process.holder;
      if (isHolder || process.isAbout(turn)) this.coverage.hit(turn, 'crash');
    }
    this.bury(process);
  }

  /** Takes a process out of the world. The outcome of its open requests is unknown. */
  bury(process: SimulatedProcess): void {
    process.kill();
    this.scheduler.drop(process);
    this.unanswered.push(...process.operations);
  }

  /** Sends a request to a process and checks its answer. */
  ask(process: SimulatedProcess, operation: Operation): void {
    this.note(`${process.name} ${operation.name}`);
    process.operations.add(operation);
    operation
      .run(process.engine)
      .then(
        (outcome) => (outcome.ok ? this.#checkKept(operation, outcome.cursor?.seq) : undefined),
        (error: unknown) => {
          this.#expectStoreFailure(operation.name, error);
          this.unanswered.push(operation);
        },
      )
      .finally(() => process.operations.delete(operation))
      .catch((error: unknown) => this.report('no-defect', String(error)));
  }

  /** Has a process close the turns that others left open, and checks that it did. */
  async recover(process: SimulatedProcess): Promise<void> {
    let abandoned: string[];
    let start: number;
    try {
      // It can close only turns that it has heard of.
      const { liveTurns } = await process.engine.forest.log(this.root).state();
      abandoned = [...liveTurns].filter((turn) => this.#isAbandoned(turn, process));
      start = this.#leases.granted;
      await process.engine.recover(this.root);
    } catch (error) {
      this.#expectStoreFailure(`${process.name} cannot recover`, error);
      return;
    }
    for (const id of abandoned) {
      const turn = this.monitor.state.turns.get(id);
      // Meanwhile another process may have continued it.
      const isTouched = this.#leases.wasGrantedToOthers(leaseKey(this.root, id), process.holder, start);
      if (turn === undefined || turn.ended !== undefined || isTouched || !this.#isAbandoned(id, process)) continue;
      checkUnowned(this.monitor.state, turn, (...seen) => this.report(...seen));
    }
  }

  /** Checks the state that a process has, as soon as it reports one. */
  probe(process: SimulatedProcess): void {
    if (process.isProbed) return;
    process.isProbed = true;
    process.engine.forest
      .log(this.root)
      .state()
      .then(
        (state) => this.monitor.checkState(state, process.name),
        (error: unknown) => this.#expectStoreFailure(`${process.name} cannot tell its state`, error),
      )
      .finally(() => {
        process.isProbed = false;
      })
      .catch((error: unknown) => this.report('no-defect', String(error)));
    for (const turn of this.monitor.state.liveTurns) this.#watch(process, turn);
  }

  async checkReload(): Promise<void> {
    for (const monitor of [this.monitor, ...this.children.values()]) await monitor.checkReload(this.#store);
  }

  /** Checks that a call that another agent carries out names the conversation of that agent, which in turn names a result in this one. */
  checkChildren(): void {
    const { nodes } = this.monitor.state;
    for (const block of [...nodes.values()].flatMap(({ blocks }) => blocks)) {
      if (block.type !== 'conversation') continue;
      const origin = readRootSettings(this.children.get(block.root)?.state.config ?? {}).origin?.id ?? '';
      if (nodes.get(origin)?.role !== 'tool') this.report('paired', `${block.root} comes from ${origin}, no result`);
    }
  }

  /** Has a process open the conversations of agents, as for a user who reads them. */
  async openChildren(process: SimulatedProcess): Promise<void> {
    for (const [child, monitor] of this.children) {
      if (monitor.state.liveTurns.size === 0) continue;
      try {
        await process.engine.open(child);
      } catch (error) {
        this.#expectStoreFailure(`${process.name} cannot open ${child}`, error);
      }
    }
  }

  #build(process: SimulatedProcess, handle: MemoryStore): LoomEngine {
    const { random, scheduler } = this;
    const { name, holder } = process;
    const pause = (): Promise<void> => this.#pause(process);
    const after = (milliseconds: number, ring: () => void) => scheduler.after(process, milliseconds, ring);
    const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => after(milliseconds, resolve));
    const store = createProcessStore(handle, {
      pause,
      takeFault: (access) =>
        process.takeFault(typeof access === 'string' ? access : () => turnsOfRecords(access.records)),
      overtake: () => this.#overtake(),
      onAppend: (...seen) => this.#onAppend(...seen),
      onLease: (...seen) => this.#onLease(...seen),
      onRelease: (key, by) => this.#leases.release(key, by),
      notify: async () => {
        if (this.#fault === 'notifications-lost') return new Promise(() => {});
        if (random.chance(0.1)) await sleep(lookInterval);
        await pause();
      },
    });
    // A process's own clock may be wrong by minutes; only the store's counts.
    const skew = random.below(600_000) - 300_000;
    const onRequest = (request: ProviderRequest): void => checkRequest(request, (...seen) => this.report(...seen));
    const onStart = (invocation: ToolInvocation): void => this.monitor.checkStart(invocation);
    const onWords = (words: string): void => this.monitor.hear(words);
    const newCallId = (): string => this.newId('call');
    const speaking = { random, pause, sleep, newCallId, onRequest, onWords };
    const agent = createFakeAgent({
      ...speaking,
      onDecision: (...decided) => this.monitor.checkDecision(...decided),
      onHeard: (message) => this.monitor.checkHeard(message),
      onBegin: (begun) => void begun.catch((error: unknown) => this.#expectStoreFailure('an agent began', error)),
    });
    return new LoomEngine({
      store: plantInStore(store, this.#fault),
      clock: { now: () => scheduler.now + skew, after },
      ids: { next: () => this.newId(name) },
      hash: simulatedHash,
      providers: [createFakeProvider(speaking), agent],
      tools: createFakeTools({ random, pause: () => scheduler.pause(process), sleep, onStart, onWords }),
      holder,
      random: () => random.next(),
      snapshotEvery: 1 + random.below(12),
    });
  }

  /** Watches a runner, which may fail only because its store does. */
  #watch(process: SimulatedProcess, turn: string): void {
    process.engine.turns.wait(turn).catch((error: unknown) => this.#expectStoreFailure(`${turn} failed`, error));
  }

  /** Returns true if no process has a lease of a turn or is about to act on it. A former holder may still wind it up. */
  #isAbandoned(turn: string, process: SimulatedProcess): boolean {
    const isFree = this.#leases.isFree(leaseKey(this.root, turn), this.scheduler.now);
    const isTouched = this.processes.some((other) => other.isAlive && other.isAbout(turn));
    return isFree && !isTouched && !this.monitor.hasHeld(process.holder, turn);
  }

  /** Checks that an acknowledged request is durable by then, at the reported place. */
  #checkKept({ name, agent, request }: Operation, seq: number | undefined): void {
    if (request === undefined) return;
    const found = this.monitor.state.requestOf(agent, request);
    if (found !== seq) this.report('kept', `${name} was acknowledged at ${seq}, but the log has it at ${found}`);
  }

  #expectStoreFailure(what: string, error: unknown): void {
    if (!(error instanceof StoreError)) this.report('no-defect', `${what}: ${String(error)}`);
  }

  #pause(process: SimulatedProcess): Promise<void> {
    // Dead processes never come back.
    if (!process.isAlive) return new Promise(() => {});
    return process.isFrozen || this.random.chance(0.3) ? this.scheduler.pause(process) : Promise.resolve();
  }

  async #overtake(): Promise<void> {
    const request = { agent: 'person:intruder', id: this.newId('request') };
    const title = `title ${request.id}`;
    await this.#intruder.change(request, this.root, z.null(), () => {
      return { ok: true, ops: [{ type: 'root-changed', title }], value: null };
    });
  }

  #onAppend(log: string, request: AppendRequest, isAppended: boolean): void {
    if (log === forestLogName) return;
    if (isAppended) {
      this.#monitorOf(log).follow(request);
      return;
    }
    if (log !== this.root) return;
    for (const turn of turnsOfRecords(request.records)) {
      if (this.monitor.state.liveTurns.has(turn)) this.coverage.hit(turn, 'conflict');
    }
  }

  #monitorOf(root: string): LogMonitor {
    if (root === this.root) return this.monitor;
    const child = this.children.get(root) ?? this.#follow(root);
    this.children.set(root, child);
    return child;
  }

  #follow(root: string): LogMonitor {
    return new LogMonitor(root, (invariant, message) => this.report(invariant, message), this.#spoken);
  }

  #onLease(key: string, holder: string, milliseconds: number): void {
    const before = this.#leases.holderOf(key);
    const turn = key.slice(key.lastIndexOf('/') + 1);
    const isLost = before !== undefined && before !== holder && !this.isDead(before);
    if (isLost && this.monitor.state.liveTurns.has(turn)) this.coverage.hit(turn, 'lease-loss');
    this.#leases.grant(key, holder, this.scheduler.now + milliseconds);
  }
}

/** The time after which a store for many machines looks for news whose notification was lost, in milliseconds. */
const lookInterval = 2_000;

function leaseKey(root: string, turn: string): string {
  return `turn/${root}/${turn}`;
}

import type { LoomEngine, Outcome } from '@loom/kernel';
import type { StoreFault } from './process-store.ts';
import type { Waiter } from './scheduler.ts';

/** A request of an agent to a kernel. Repeatable: it always makes the same request. */
export interface Operation {
  name: string;
  agent: string;
  /** The request that identifies it in the log; `undefined` for an operation that need not write. */
  request: string | undefined;
  turn?: string;
  run: (engine: LoomEngine) => Promise<Outcome<unknown>>;
}

/** One kernel with its own handle on the store. It can be frozen, and it can die. */
export class SimulatedProcess implements Waiter {
  readonly name: string;
  readonly holder: string;
  readonly engine: LoomEngine;
  isAlive = true;
  isFrozen = false;
  /** True while it shuts down in good order and takes no more requests. */
  isClosing = false;
  /** True while a caller waits for its state. */
  isProbed = false;
  /** The operations it has not answered yet. */
  readonly operations = new Set<Operation>();
  readonly #cutOff: () => void;
  #fault: { fault: StoreFault; turn: string | undefined } | undefined;

  constructor(name: string, holder: string, build: (process: SimulatedProcess) => LoomEngine, cutOff: () => void) {
    this.name = name;
    this.holder = holder;
    this.#cutOff = cutOff;
    this.engine = build(this);
  }

  /** Kills it. Its handle is closed first, so that it can never write again. */
  kill(): void {
    this.#cutOff();
    this.isAlive = false;
    this.#fault = undefined;
  }

  /** Makes its next access to the store fail; with a turn, the next append that concerns that turn. */
  arm(fault: StoreFault, turn?: string): void {
    this.#fault = { fault, turn };
  }

  disarm(): void {
    this.#fault = undefined;
  }

  /** Returns the fault of an access to the store: a read, a lease, or an append about some turns. */
  takeFault(access: 'read' | 'lease' | (() => ReadonlySet<string>)): StoreFault | undefined {
    if (this.#fault === undefined) return undefined;
    const { fault, turn } = this.#fault;
    const isMeant =
      typeof access === 'string'
        ? fault === `fail-${access}`
        : fault !== 'fail-read' && fault !== 'fail-lease' && (turn === undefined || access().has(turn));
    if (!isMeant) return undefined;
    this.#fault = undefined;
    return fault;
  }

  /** Returns true if an open operation is about a turn. */
  isAbout(turn: string): boolean {
    return [...this.operations].some((operation) => operation.turn === turn);
  }
}

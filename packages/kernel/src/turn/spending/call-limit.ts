import type { Usage } from '../../node-metadata.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { TurnState } from '../../state/root-state.ts';
import type { CallFailure } from '../speaking/provider-door.ts';
import { sourceOf } from '../speaking/turn-request.ts';
import { createStopController } from '../stop-controller.ts';
import { StopPatience } from '../stop-patience.ts';
import { overLimit } from './spending-limits.ts';
import type { Overspent, SpendingScope } from './spending-limits.ts';

/** Stops one call of an agent at a spending limit, without stopping the turn: that ends with a question to a person. */
export class CallLimit {
  /** Waits for the call to tidy up. */
  readonly patience: StopPatience;
  readonly #scope: SpendingScope;
  readonly #stop = createStopController();
  readonly #turn: AbortSignal;
  #reached: Overspent | undefined;

  /** `turn` aborts the call together with its turn. */
  constructor(scope: SpendingScope, turn: AbortSignal) {
    this.#scope = scope;
    this.#turn = turn;
    this.patience = new StopPatience(this.#stop.signal, scope.clock);
    turn.addEventListener('abort', this.#follow);
    if (turn.aborted) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The reason that the call was told to stop, if a limit was. */
  get reached(): Overspent | undefined {
    return this.#reached;
  }

  /** Compares what the turn has spent with the limits, and tells the call to stop once one is reached. */
  async judge(turn: TurnState, nodes: readonly NodeState[], usage: Usage | undefined): Promise<Overspent | undefined> {
    if (this.#stop.signal.aborted) return undefined;
    const source = sourceOf(turn);
    const running =
      usage === undefined || source.type !== 'model'
        ? []
        : [{ source: { ...source, usage }, time: this.#scope.clock.now() }];
    this.#reached = await overLimit(this.#scope, turn, nodes, running);
    if (this.#reached !== undefined) this.#stop.abort();
    return this.#reached;
  }

  /** No longer follows the turn. */
  end(): void {
    this.#turn.removeEventListener('abort', this.#follow);
  }

  readonly #follow = (): void => this.#stop.abort();
}

/** Returns true if a call has failed because a limit was reached. */
export function isOverspent(failure: CallFailure | undefined): failure is CallFailure {
  return failure?.code === 'spending-limit' || failure?.code === 'unknown-cost';
}

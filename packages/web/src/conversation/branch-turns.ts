import type { ResultOf } from '@loom/kernel';
import { Store } from '../stores/store.ts';
import type { Overview } from './open-conversation.ts';

/** A part of the branch on display: what a person asked, what an agent began on its own, or a summary of the context. */
export type BranchTurn = ResultOf<'tree.turns'>['items'][number];

interface TurnParams {
  readonly root: string;
  readonly node: string;
  readonly from?: string;
}

/** The state of a conversation as far as its turns depend on it. */
export interface TurnSource extends Overview {
  readonly root: string;
  /** True while a turn is at work on the branch. */
  readonly isRunning: boolean;
}

/**
 * The turns of the branch on display. They are asked for when a person has spoken or a turn is over, from the last known one on: what
 * is above it does not change.
 */
export class BranchTurns {
  readonly items = new Store<readonly BranchTurn[]>([]);
  /** The turn at the top of the screen, by its first message. */
  readonly here = new Store<string | undefined>(undefined);
  #key = '';
  #isAsking = false;
  #latest: TurnSource | undefined;

  /** Brings the turns up to date. `ask` rejects where the server cannot tell; then the next change asks again. */
  async look(source: TurnSource, ask: (params: TurnParams) => Promise<readonly BranchTurn[]>): Promise<void> {
    this.#latest = source;
    if (this.#isAsking) return;
    const key = keyOf(source);
    const node = source.path.at(-1);
    if (key === this.#key) return;
    if (node === undefined) return this.items.set([]);
    const known = this.items.getSnapshot();
    const from = lastOn(source.path, known);
    this.#isAsking = true;
    try {
      const { root } = source;
      const found = await ask({ root, node, ...(from === undefined ? {} : { from: from.node }) });
      const kept = from === undefined ? [] : known.slice(0, known.indexOf(from));
      this.items.set([...kept, ...found]);
      this.#key = key;
    } finally {
      this.#isAsking = false;
    }
    if (this.#latest !== source) await this.look(this.#latest, ask);
  }
}

/** Says what turns depend on: the last message that begins one, and the end of the branch once nothing is at work on it. */
function keyOf({ path, shape, isRunning }: TurnSource): string {
  const asked = path.findLast((id) => shape.nodes.get(id)?.role === 'user');
  return `${asked ?? ''} ${isRunning ? 'running' : (path.at(-1) ?? '')}`;
}

/** The last known turn that is still on the branch, and has its end there or goes on. */
function lastOn(path: readonly string[], known: readonly BranchTurn[]): BranchTurn | undefined {
  const onPath = new Set(path.slice(path.indexOf(known[0]?.node ?? '')));
  const at = known.findLastIndex(({ node, kind }) => kind !== 'summary' && onPath.has(node));
  return known[at];
}

import type { Change } from './change.ts';
import type { ForestOp } from './op.ts';

/** The list of roots, reduced from the forest's own log. What a root is called and whether it is deleted is in its own. */
export class ForestState {
  seq = 0;
  /** In the order of their creation. */
  readonly roots = new Map<string, { created: number; key?: string }>();
  readonly rootOfKey = new Map<string, string>();
  readonly #requests = new Map<string, { seq: number; result: unknown }>();

  apply(change: Change<ForestOp>): ForestOp[] {
    this.seq = change.seq;
    this.#requests.set(`${change.agent}\n${change.request}`, { seq: change.seq, result: change.result });
    for (const { root, key } of change.ops) {
      this.roots.set(root, key === undefined ? { created: change.time } : { created: change.time, key });
      if (key !== undefined) this.rootOfKey.set(key, root);
    }
    return change.ops;
  }

  requestOf(agent: string, request: string): { seq: number; result: unknown } | undefined {
    return this.#requests.get(`${agent}\n${request}`);
  }
}

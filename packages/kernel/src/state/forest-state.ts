import type { Change } from '../change.ts';
import type { ForestOp } from '../op.ts';
import { readKept } from '../request.ts';
import { AcknowledgedLosses } from './acknowledged-losses.ts';
import { RequestIndex } from './request-index.ts';

/** The list of roots, reduced from the forest's own log. The title of a root and its deletion are in the root's log. */
export class ForestState {
  seq = 0;
  /** In the order of their creation, each with the change that listed it or, in an older snapshot, a later one. */
  readonly roots = new Map<string, { created: number; key?: string; seq: number }>();
  readonly rootOfKey = new Map<string, string>();
  readonly acknowledged = new AcknowledgedLosses();
  readonly requests = new RequestIndex();
  /** The roots whose place for a key was taken by another one, by that one. */
  readonly #replaced = new Map<string, string>();

  apply(change: Change<ForestOp>): ForestOp[] {
    this.seq = change.seq;
    this.requests.note(change.agent, readKept(change.request).id, change.seq);
    for (const op of change.ops) {
      if (op.type === 'root-listed') this.list(op.root, change.time, op.key, change.seq);
      else this.acknowledged.add(op.log, op);
    }
    return change.ops;
  }

  list(root: string, created: number, key: string | undefined, seq: number): void {
    this.roots.set(root, key === undefined ? { created, seq } : { created, key, seq });
    if (key === undefined) return;
    const before = this.rootOfKey.get(key);
    if (before !== undefined) this.#replaced.set(root, before);
    this.rootOfKey.set(key, root);
  }

  /** Forgets changes that were applied last and not written; false, and nothing is done, if they did more than list roots. */
  takeBack(changes: readonly Change<ForestOp>[]): boolean {
    if (changes.some(({ ops }) => ops.some(({ type }) => type !== 'root-listed'))) return false;
    for (const { agent, request, seq, ops } of changes.toReversed()) {
      this.requests.forget(agent, readKept(request).id);
      for (const op of ops.toReversed()) if (op.type === 'root-listed') this.#unlist(op.root);
      this.seq = seq - 1;
    }
    return true;
  }

  #unlist(root: string): void {
    const key = this.roots.get(root)?.key;
    this.roots.delete(root);
    if (key === undefined) return;
    const before = this.#replaced.get(root);
    this.#replaced.delete(root);
    if (before === undefined) this.rootOfKey.delete(key);
    else this.rootOfKey.set(key, before);
  }

  requestOf(agent: string, request: string): number | undefined {
    return this.requests.find(agent, request);
  }
}

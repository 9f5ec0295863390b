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
    if (key !== undefined) this.rootOfKey.set(key, root);
  }

  requestOf(agent: string, request: string): number | undefined {
    return this.requests.find(agent, request);
  }
}

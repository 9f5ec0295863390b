import type { PlainObject } from '@loom/blocks';
import type { Change } from '../change.ts';
import type { HomeOp } from '../op.ts';
import { readKept } from '../request.ts';
import { RequestIndex } from '../state/request-index.ts';

/** The value under a key of a home. */
export interface HomeEntry {
  value: PlainObject;
  /** The time at which it was set, in milliseconds since 1970, and the agent that set it. */
  time: number;
  agent: string;
}

/** The entries of a person or a project, by key. */
export class HomeState {
  seq = 0;
  readonly entries = new Map<string, HomeEntry>();
  readonly requests = new RequestIndex();
  /** The last change of each key that no snapshot holds yet. */
  readonly #unsaved = new Map<string, number>();

  apply({ seq, time, agent, request, ops }: Change<HomeOp>): HomeOp[] {
    this.seq = seq;
    this.requests.note(agent, readKept(request).id, seq);
    for (const { key, value } of ops) {
      this.#unsaved.set(key, seq);
      if (value === undefined) this.entries.delete(key);
      else this.entries.set(key, { value, time, agent });
    }
    return ops;
  }

  requestOf(agent: string, request: string): number | undefined {
    return this.requests.find(agent, request);
  }

  /** Returns the keys that were set or removed after a change which a snapshot holds. */
  changedAfter(seq: number): string[] {
    return Array.from(this.#unsaved)
      .filter(([, changed]) => changed > seq)
      .map(([key]) => key);
  }

  /** Forgets what a snapshot holds now. */
  noteSaved(seq: number): void {
    for (const [key, changed] of this.#unsaved) if (changed <= seq) this.#unsaved.delete(key);
  }
}

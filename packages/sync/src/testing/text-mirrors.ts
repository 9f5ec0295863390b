import { spliceText } from '@loom/blocks';
import type { Replica, ReplicaChange } from '../index.ts';

/** The texts of an editor that knows a replica's texts only by the splices that it is told. */
export class TextMirrors {
  readonly #texts = new Map<string, string>();
  #wrong: string | undefined;

  /** The number of splices that were followed. */
  followed = 0;

  open(replica: Replica, block: string): void {
    // The text may have been given up since it was opened before.
    if (!this.#texts.has(block) || !replica.isOpen(block)) this.#texts.set(block, replica.text(block) ?? '');
    replica.open(block);
  }

  close(replica: Replica, block: string): void {
    if (replica.close(block)) this.#texts.delete(block);
  }

  hear(replica: Replica, what: ReplicaChange): void {
    const before = what.type === 'text' ? this.#texts.get(what.block) : undefined;
    if (what.type !== 'text' || before === undefined) return;
    const text = spliceText(before, what.splices);
    this.#texts.set(what.block, text);
    this.followed += what.splices.length;
    if (text !== (replica.text(what.block) ?? '')) this.#wrong ??= this.#differs(replica, what.block);
  }

  /** Returns the problem, if there is or was one. */
  check(replica: Replica): string | undefined {
    const other = [...this.#texts].find(([block, text]) => replica.isOpen(block) && replica.text(block) !== text);
    return this.#wrong ?? (other && this.#differs(replica, other[0]));
  }

  #differs(replica: Replica, block: string): string {
    return `the splices make ${this.#texts.get(block)} of ${block}, which is ${replica.text(block)}`;
  }
}

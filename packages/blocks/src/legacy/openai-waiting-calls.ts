import type { ToolUseBlock } from '../content-block.ts';

/** A call, where in the array it was made, and whether a result has come for it. */
export interface WaitingCall {
  readonly call: ToolUseBlock;
  readonly index: number;
  answered: boolean;
}

/** The calls of a conversation that still wait for their results. Each question costs the same however many wait. */
export class WaitingCalls {
  readonly #all = new Queue();
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();

  add(call: ToolUseBlock, index: number): void {
    const waiting: WaitingCall = { call, index, answered: false };
    this.#all.calls.push(waiting);
    queueOf(this.#byId, call.id).calls.push(waiting);
    queueOf(this.#byName, call.name).calls.push(waiting);
  }

  /** The call that a result answers: the oldest of the id that it names, else of its tool's name, else of all. */
  answer({ id, name }: { id?: string; name?: string }): WaitingCall | undefined {
    const named = name === undefined ? this.#all : this.#byName.get(name);
    const found = (id === undefined ? named : this.#byId.get(id))?.takeOldest();
    if (found) found.answered = true;
    return found;
  }

  /** Returns the calls that are left, in their order. */
  unanswered(): readonly WaitingCall[] {
    return this.#all.calls.filter((waiting) => !waiting.answered);
  }
}

class Queue {
  readonly calls: WaitingCall[] = [];
  /** Everything before it has been answered. */
  #next = 0;

  takeOldest(): WaitingCall | undefined {
    for (; this.#next < this.calls.length; this.#next += 1) {
      const waiting = this.calls[this.#next];
      if (waiting?.answered === false) return waiting;
    }
    return undefined;
  }
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  const present = queues.get(key);
  if (present) return present;
  const queue = new Queue();
  queues.set(key, queue);
  return queue;
}

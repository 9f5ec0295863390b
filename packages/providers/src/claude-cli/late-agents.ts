import type { StreamFact } from '@loom/exchange/claude-code';
import type { Signal } from './claude-process.ts';
import { SignalQueue } from './signal-queue.ts';

/** The words of a sub-agent that come when the turn that has sent it out is over. */
export interface LateAgent {
  /** The name of its conversation. */
  readonly conversation: string;
  readonly queue: SignalQueue<Signal>;
}

/** A place for facts: a turn that listens, an agent with a turn of its own, or nobody. */
type Listener = SignalQueue<Signal> | undefined;

/**
 * Knows the sub-agents of a process, and whom their facts are for: the turn that sent one out, as long as that listens; then a turn of its own, which
 * begins with its first late word and ends with its task.
 */
export class LateAgents {
  readonly #begin: (agent: LateAgent) => void;
  /** The turn that has sent each out, by conversation. */
  readonly #senders = new Map<string, Listener>();
  readonly #late = new Map<string, LateAgent>();
  /** Those whose words cannot be shown: sub-agents of sub-agents, and those that were stopped. An import adds them. */
  readonly #unheard = new Set<string>();

  constructor(begin: (agent: LateAgent) => void) {
    this.#begin = begin;
  }

  /** Takes a fact that is for a late agent, or for nobody. Returns false if it is for the turn that listens. */
  take(fact: StreamFact, listening: Listener): boolean {
    const conversation = this.#conversationOf(fact, listening);
    if (conversation === undefined) return false;
    const isOwn = listening !== undefined && this.#senders.get(conversation) === listening;
    const known = this.#late.get(conversation);
    if (fact.type === 'task-ended') {
      known?.queue.push({ type: 'fact', fact });
      this.#late.delete(conversation);
      // The turn that listens is told as well: it may have been begun by this end.
      return false;
    }
    if (isOwn) return false;
    const isDeclaration = fact.type === 'item' && fact.item.type === 'conversation';
    if (this.#unheard.has(conversation) || isDeclaration) return true;
    const agent = known ?? { conversation, queue: new SignalQueue<Signal>() };
    agent.queue.push({ type: 'fact', fact });
    if (known === undefined) {
      this.#late.set(conversation, agent);
      this.#begin(agent);
    }
    return true;
  }

  /** Returns true if somebody hears a sub-agent, by its id. */
  hears(id: string): boolean {
    const conversation = this.#named(id);
    return conversation !== undefined && !this.#unheard.has(conversation);
  }

  /** Says no more of one: it was stopped, or it has no conversation here. */
  forget({ conversation, queue }: LateAgent): void {
    this.#unheard.add(conversation);
    this.#late.delete(conversation);
    queue.end();
  }

  /** Waits until none of them has more than it can take. */
  async room(): Promise<void> {
    await Promise.all([...this.#late.values()].map(({ queue }) => queue.room()));
  }

  /** Tells all of them that the program has ended. */
  end(signal: Signal): void {
    for (const { queue } of this.#late.values()) queue.push(signal);
    this.#late.clear();
  }

  #conversationOf(fact: StreamFact, listening: Listener): string | undefined {
    switch (fact.type) {
      case 'item': {
        const { item } = fact;
        if (item.type === 'conversation') {
          const { id, parent } = item.conversation;
          if (parent === undefined) return undefined;
          if (!this.#senders.has(id)) {
            this.#senders.set(id, listening);
            if (this.#senders.has(parent.conversation)) this.#unheard.add(id);
          }
          return id;
        }
        const conversation = item.type === 'node' ? item.node.conversation : item.conversation;
        return this.#senders.has(conversation) ? conversation : undefined;
      }
      case 'question':
        return fact.question.agent === undefined ? undefined : this.#named(fact.question.agent);
      case 'task-ended':
        return this.#named(fact.task);
      default:
        return undefined;
    }
  }

  /** The name of a conversation ends with the id of its agent. */
  #named(id: string): string | undefined {
    return [...this.#senders.keys()].find((name) => name === `agent:${id}` || name.endsWith(`/${id}`));
  }
}

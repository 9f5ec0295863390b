import type { ProviderEvent } from '../../provider.ts';
import type { ChildConversation, OpenChild } from './child-conversation.ts';
import type { MessageWriter } from './message-writer.ts';
import type { CallFailure, HeardEvent } from './provider-door.ts';
import type { TurnWriter } from '../turn-writer.ts';

/** Writes what a provider says in one call, and what the agents say that it has sent out. */
export class CallListener {
  readonly #writer: TurnWriter;
  readonly #message: MessageWriter;
  readonly #openChild: OpenChild;
  readonly #children = new Map<string, ChildConversation>();

  constructor(writer: TurnWriter, message: MessageWriter, openChild: OpenChild) {
    this.#writer = writer;
    this.#message = message;
    this.#openChild = openChild;
  }

  /** Writes one event. Returns the end of the call, if it has ended. */
  async hear(event: HeardEvent): Promise<{ failure?: CallFailure } | undefined> {
    switch (event.type) {
      case 'call-start':
        return undefined;
      case 'retrying': {
        const { attempt, delay_ms, reason } = event;
        const { turn } = this.#writer.scope;
        this.#writer.writeSoon(() => [{ type: 'turn-retrying', turn, attempt, delay_ms, reason }]);
        return undefined;
      }
      case 'child':
        await this.#begin(event);
        return undefined;
      case 'heard':
        await this.#message.hear(event);
        return undefined;
      case 'note':
        this.#message.note(event.data, event.message);
        return undefined;
      case 'usage':
        this.#message.usage(event.usage);
        return undefined;
      case 'call-end':
        this.#message.finish(event.reason);
        return {};
      case 'call-error':
        this.#message.finish('error');
        return { failure: event.error };
      default: {
        const child = event.child === undefined ? undefined : this.#children.get(event.child);
        await say(child?.message ?? this.#message, event);
        await child?.keepUp();
        return undefined;
      }
    }
  }

  /** Writes the names that an agent gives when it was stopped; it says nothing else then. */
  async hearLate(event: HeardEvent): Promise<void> {
    if (event.type === 'named' && event.child === undefined) await this.#message.nameLate(event);
  }

  /** Ends the conversations of all agents that were sent out; throws the first failure once each of them was tried. */
  async close(reason: 'done' | 'error' | 'interrupted'): Promise<void> {
    const failures: unknown[] = [];
    for (const child of this.#children.values()) {
      await child.end(reason).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #begin({ child, call, prompt }: Extract<ProviderEvent, { type: 'child' }>): Promise<void> {
    const node = await this.#message.callNode(call);
    const begun = await this.#openChild({ node, prompt: prompt ?? '' });
    this.#children.set(child, begun);
    await this.#message.setCallState({ type: 'tool-state', call, state: 'running' });
    await this.#message.addToResult(call, { type: 'conversation', root: begun.root });
  }
}

type Said = Extract<
  ProviderEvent,
  {
    type:
      | 'block-start'
      | 'block'
      | 'block-delta'
      | 'block-end'
      | 'retract'
      | 'tool-state'
      | 'notice'
      | 'named'
      | 'session';
  }
>;

async function say(message: MessageWriter, event: Said): Promise<void> {
  switch (event.type) {
    case 'block-start':
    case 'block':
      return message.start(event);
    case 'block-delta':
      return message.delta(event);
    case 'block-end':
      return message.end(event);
    case 'retract':
      return message.retract(event);
    case 'tool-state':
      return message.setCallState(event);
    case 'notice':
      return message.notice(event);
    case 'named':
      return message.name(event);
    case 'session':
      return message.nameSession(event);
  }
}

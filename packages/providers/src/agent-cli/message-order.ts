import type { ProviderEvent } from '@loom/kernel';

/** One conversation: that of the agent, or of a sub-agent. */
interface Speaker {
  /** The names of messages in events, by those that the agent uses. */
  readonly names: Map<string, string>;
  readonly begun: Set<string>;
  /** The message that can get more blocks. */
  last: string | undefined;
}

/**
 * Keeps the order of messages: more of one behind which another has begun becomes a message of another name, and what is open at the end is
 * closed. Programs do not print that, but lines that were lost or repeated on the way look like it.
 */
class MessageOrder {
  readonly #speakers = new Map<string, Speaker>();
  readonly #open = new Map<string, string | undefined>();
  #count = 0;

  take(event: ProviderEvent): ProviderEvent[] {
    switch (event.type) {
      case 'block-start':
      case 'block': {
        if (event.type === 'block-start') this.#open.set(event.key, event.child);
        if (event.role !== 'assistant') return [event];
        return [{ ...event, message: this.#place(this.#speaker(event.child), event.message) }];
      }
      case 'block-end':
      case 'retract':
        this.#open.delete(event.key);
        return [event];
      case 'named':
      case 'note': {
        const speaker = this.#speaker('child' in event ? event.child : undefined);
        const name = event.message === undefined ? undefined : speaker.names.get(event.message);
        return [name === undefined ? event : { ...event, message: name }];
      }
      case 'heard':
        this.#speaker(undefined).last = undefined;
        return [event];
      case 'notice':
        this.#speaker(event.child).last = undefined;
        return [event];
      case 'call-end':
        return [...this.#close(), event];
      default:
        return [event];
    }
  }

  #place(speaker: Speaker, message: string): string {
    const known = speaker.names.get(message) ?? message;
    const isBehind = speaker.begun.has(known) && speaker.last !== known;
    const name = isBehind ? `${message} (${(this.#count += 1)})` : known;
    if (name !== message) speaker.names.set(message, name);
    speaker.begun.add(name);
    speaker.last = name;
    return name;
  }

  #speaker(child: string | undefined): Speaker {
    const known = this.#speakers.get(child ?? '') ?? { names: new Map(), begun: new Set(), last: undefined };
    this.#speakers.set(child ?? '', known);
    return known;
  }

  #close(): ProviderEvent[] {
    return [...this.#open].map(([key, child]) => ({
      type: 'block-end',
      key,
      ...(child === undefined ? {} : { child }),
    }));
  }
}

/** Keeps the order of messages in the events of a call. */
export async function* inOrder(events: AsyncIterable<ProviderEvent>): AsyncGenerator<ProviderEvent> {
  const order = new MessageOrder();
  for await (const event of events) yield* order.take(event);
}

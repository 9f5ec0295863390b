import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** The number of characters kept of a session's messages. */
const mostKept = 4 * 1024 * 1024;

interface Sent {
  id: string;
  stream: string;
  message: JSONRPCMessage;
  size: number;
}

/** The last messages of a session, so that a client whose stream was cut gets those it has missed. */
export class RecentMessages implements EventStore {
  readonly #sent: Sent[] = [];
  #last = 0;
  #size = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = String((this.#last += 1));
    const size = JSON.stringify(message).length;
    this.#sent.push({ id, stream, message, size });
    this.#size += size;
    while (this.#size > mostKept && this.#sent.length > 1) this.#size -= this.#sent.shift()?.size ?? 0;
    return id;
  }

  knows(id: string): boolean {
    return this.#sent.some((sent) => sent.id === id);
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#sent.find((sent) => sent.id === id)?.stream;
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const begin = this.#sent.findIndex(({ id }) => id === last);
    const stream = this.#sent[begin]?.stream ?? '';
    for (const sent of this.#sent.slice(begin + 1)) if (sent.stream === stream) await send(sent.id, sent.message);
    return stream;
  }
}

import { z } from 'zod';
import { addressOf } from './resources.ts';

/** What a session has subscribed to, and whose it is. */
export interface KeptSession {
  id: string;
  owner: string;
  uris: readonly string[];
}

/** Where subscriptions are kept from one process to the next. */
export interface SubscriptionKeeper {
  /** What `write` got last; anything else counts as nothing. */
  read(): Promise<unknown>;
  write(sessions: readonly KeptSession[]): Promise<void>;
}

/** So many sessions, and so much of each, are kept; those that subscribed longest ago make room. */
const mostSessions = 256;
const mostResources = 100;
const longestAddress = 300;

const keptSessions = z.array(z.object({ id: z.string(), owner: z.string(), uris: z.array(z.string()) }));

const subscribing = z.object({
  method: z.enum(['resources/subscribe', 'resources/unsubscribe']),
  params: z.object({ uri: z.string().max(longestAddress) }),
});

/** What the sessions of older clients have subscribed to, for when one of them is taken up again: clients do not do that twice. */
export class KeptSubscriptions {
  readonly #keeper: SubscriptionKeeper | undefined;
  readonly #onFailure: (error: unknown) => void;
  #sessions: Promise<Map<string, KeptSession>> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(keeper: SubscriptionKeeper | undefined, onFailure: (error: unknown) => void) {
    this.#keeper = keeper;
    this.#onFailure = onFailure;
  }

  async of(id: string, owner: string): Promise<readonly string[]> {
    const session = (await this.#read()).get(id);
    return session?.owner === owner ? session.uris : [];
  }

  /** Takes down what a message, or each of several, subscribes to or not any more; before it is answered. */
  async note(id: string, owner: string, body: unknown): Promise<void> {
    const asked = (Array.isArray(body) ? body : [body]).flatMap((one) => subscribing.safeParse(one).data ?? []);
    if (asked.length === 0) return;
    const sessions = await this.#read();
    const uris = new Set(await this.of(id, owner));
    for (const { method, params } of asked) {
      if (method === 'resources/unsubscribe') uris.delete(params.uri);
      else if (uris.size < mostResources && addressOf(params.uri) !== undefined) uris.add(params.uri);
    }
    sessions.delete(id);
    if (uris.size > 0) sessions.set(id, { id, owner, uris: [...uris] });
    const [oldest] = sessions.keys();
    if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest);
    await this.#write(sessions);
  }

  async forget(id: string): Promise<void> {
    const sessions = await this.#read();
    if (sessions.delete(id)) await this.#write(sessions);
  }

  #read(): Promise<Map<string, KeptSession>> {
    return (this.#sessions ??= this.#readOnce());
  }

  async #readOnce(): Promise<Map<string, KeptSession>> {
    try {
      const { data = [] } = keptSessions.safeParse(await this.#keeper?.read());
      return new Map(data.map((session) => [session.id, session]));
    } catch (error) {
      this.#onFailure(error);
      return new Map();
    }
  }

  /** One after the other. */
  #write(sessions: ReadonlyMap<string, KeptSession>): Promise<void> {
    this.#writing = this.#writeAfter(this.#writing, sessions);
    return this.#writing;
  }

  async #writeAfter(before: Promise<void>, sessions: ReadonlyMap<string, KeptSession>): Promise<void> {
    await before;
    try {
      await this.#keeper?.write([...sessions.values()]);
    } catch (error) {
      // A subscription that cannot be kept holds as long as this process.
      this.#onFailure(error);
    }
  }
}

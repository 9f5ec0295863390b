import { z } from 'zod';
import { addressOf } from './resources.ts';

/** A session that was given: its owner, and its subscriptions. */
export interface KeptSession {
  id: string;
  owner: string;
  uris: readonly string[];
}

/** The keeper of sessions from one process to the next. */
export interface SessionKeeper {
  /** Returns the sessions `write` got last; anything else counts as nothing. */
  read(): Promise<unknown>;
  write(sessions: readonly KeptSession[]): Promise<void>;
}

/** The number of sessions of one owner and of all, and the size of each, that are kept; those that began or subscribed longest ago make room. */
const mostOfOwner = 32;
const mostSessions = 2048;
const mostResources = 100;
const longestAddress = 300;

const keptSessions = z.array(z.object({ id: z.string(), owner: z.string(), uris: z.array(z.string()) }));

const subscribing = z.object({
  method: z.enum(['resources/subscribe', 'resources/unsubscribe']),
  params: z.object({ uri: z.string().max(longestAddress) }),
});

/** The sessions of older clients, for when one of them is resumed: only sessions that were given are, and clients do not subscribe twice. */
export class KeptSessions {
  readonly #keeper: SessionKeeper | undefined;
  readonly #onFailure: (error: unknown) => void;
  #sessions: Promise<Map<string, KeptSession>> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(keeper: SessionKeeper | undefined, onFailure: (error: unknown) => void) {
    this.#keeper = keeper;
    this.#onFailure = onFailure;
  }

  /** Keeps a session that is given to a client. */
  async begin(id: string, owner: string): Promise<void> {
    await this.#put({ id, owner, uris: [] });
  }

  /** Returns true if a session was given to this owner, and has not ended. */
  async isKnown(id: string, owner: string): Promise<boolean> {
    return (await this.#read()).get(id)?.owner === owner;
  }

  async of(id: string, owner: string): Promise<readonly string[]> {
    const session = (await this.#read()).get(id);
    return session?.owner === owner ? session.uris : [];
  }

  /** Records the subscriptions that a message, or each of several, begins or ends; before it is answered. */
  async note(id: string, owner: string, body: unknown): Promise<void> {
    const asked = (Array.isArray(body) ? body : [body]).flatMap((one) => subscribing.safeParse(one).data ?? []);
    if (asked.length === 0) return;
    const uris = new Set(await this.of(id, owner));
    for (const { method, params } of asked) {
      if (method === 'resources/unsubscribe') uris.delete(params.uri);
      else if (uris.size < mostResources && addressOf(params.uri) !== undefined) uris.add(params.uri);
    }
    await this.#put({ id, owner, uris: [...uris] });
  }

  async forget(id: string): Promise<void> {
    const sessions = await this.#read();
    if (sessions.delete(id)) await this.#write(sessions);
  }

  async #put(session: KeptSession): Promise<void> {
    const sessions = await this.#read();
    sessions.delete(session.id);
    sessions.set(session.id, session);
    const own = [...sessions.values()].filter(({ owner }) => owner === session.owner);
    const [oldest] = own.length > mostOfOwner ? own : sessions.values();
    if ((own.length > mostOfOwner || sessions.size > mostSessions) && oldest !== undefined) sessions.delete(oldest.id);
    await this.#write(sessions);
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
      // A session that cannot be kept holds as long as this process.
      this.#onFailure(error);
    }
  }
}

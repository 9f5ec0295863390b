import { createHash } from 'node:crypto';
import { z } from 'zod';
import { makeVapidKeys, vapidKeysSchema } from './vapid.ts';
import type { VapidKeys } from './vapid.ts';

const subscription = z.strictObject({
  /** The beginning of the hash of the endpoint, in hex: a browser that subscribes again replaces its record. */
  id: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  agent: z.string(),
  created_at: z.int(),
  /** The token that it was made with: it ends with that one. */
  parent: z.string().exactOptional(),
});
export type Subscription = z.infer<typeof subscription>;

const record = z.strictObject({ keys: vapidKeysSchema, subscriptions: z.array(subscription) });
export type PushRecord = z.infer<typeof record>;

/** Keeps the keys and the subscriptions, as a whole. The private key is a secret of the data folder. */
export interface PushKeeper {
  /** Returns what was written last; `undefined` if there is nothing. */
  read(): Promise<unknown>;
  write(record: PushRecord): Promise<void>;
}

interface TokenLives {
  endOf(token: string): number;
}

interface SubscriptionsOptions {
  keeper: PushKeeper;
  now: () => number;
  tokens: TokenLives;
}

/** The most subscriptions of a folder; the oldest go. */
const mostKept = 100;

/** The browsers that want to hear when a turn needs a person or ends, each until its token ends. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  #record: Promise<PushRecord | undefined> | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Returns the keys that browsers subscribe with, and makes them the first time. */
  async keys(): Promise<VapidKeys> {
    return (await this.#change((known) => known)).keys;
  }

  /** Returns the subscriptions whose token still lets its callers in. */
  async list(): Promise<readonly Subscription[]> {
    const { subscriptions = [] } = (await this.#read()) ?? {};
    return subscriptions.filter(({ parent }) => this.#isValid(parent));
  }

  async add({ endpoint, ...rest }: Omit<Subscription, 'id' | 'created_at'>): Promise<string> {
    const id = createHash('sha256').update(endpoint).digest('hex').slice(0, 16);
    const made = subscription.parse({ id, endpoint, ...rest, created_at: this.#options.now() });
    await this.#change((known) => [...known.filter((one) => one.id !== id), made].slice(-mostKept));
    return id;
  }

  /** Removes a subscription. Returns false if there is none. */
  async remove(id: string): Promise<boolean> {
    if (!(await this.list()).some((known) => known.id === id)) return false;
    await this.#change((known) => known.filter((one) => one.id !== id));
    return true;
  }

  #isValid(parent: string | undefined): boolean {
    const { now, tokens } = this.#options;
    return parent === undefined || tokens.endOf(parent) > now();
  }

  #read(): Promise<PushRecord | undefined> {
    this.#record ??= this.#options.keeper.read().then((kept) => {
      if (kept === undefined) return undefined;
      const read = record.safeParse(kept);
      if (read.success) return read.data;
      this.#record = undefined;
      throw new TypeError('the file of push subscriptions is damaged: move it aside, and turn notifications on again', {
        cause: read.error,
      });
    });
    return this.#record;
  }

  /** Valid once it is written; one after the other, so that none is lost. Those whose token has ended go with every change. */
  #change(change: (known: Subscription[]) => Subscription[]): Promise<PushRecord> {
    const write = async (): Promise<PushRecord> => {
      const known = await this.#read();
      const { keys = makeVapidKeys(), subscriptions = [] } = known ?? {};
      const valid = subscriptions.filter(({ parent }) => this.#isValid(parent));
      const next = { keys, subscriptions: change(valid) };
      if (known !== undefined && next.subscriptions.length === 0 && subscriptions.length === 0) return known;
      await this.#options.keeper.write(next);
      this.#record = Promise.resolve(next);
      return next;
    };
    const done = this.#writing.then(write, write);
    this.#writing = done.catch(() => {});
    return done;
  }
}

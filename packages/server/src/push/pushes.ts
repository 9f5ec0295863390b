import { createHash } from 'node:crypto';
import { sealMessage } from './sealed-message.ts';
import { Subscriptions } from './subscriptions.ts';
import type { PushKeeper, Subscription } from './subscriptions.ts';
import { vapidAuthorization } from './vapid.ts';

/** A request to a push service. */
export interface PushRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Reaches push services. */
export interface PushNetwork {
  /** Returns the reason that an address must not be asked; `undefined` for one on the internet. */
  problemOf(endpoint: string): Promise<string | undefined>;
  /** Returns the status of the answer. Rejects where nothing answers, or the address must not be asked. */
  send(request: PushRequest): Promise<number>;
}

/** The news for a person who looks elsewhere: what happened and where, never what was said. */
export interface PushNews {
  readonly what: 'needs-you' | 'ended' | 'test';
  /** The place in the page that it leads to. */
  readonly path: string;
}

interface PushesOptions {
  /** Without one nothing can be pushed. */
  keeper: PushKeeper | undefined;
  now: () => number;
  tokens: { endOf(token: string): number };
}

/** A service keeps a message for a browser that is away for so long, in seconds. */
const keptFor = 12 * 60 * 60;

/** Sends news to browsers through their push services. */
export class Pushes {
  readonly subscriptions: Subscriptions | undefined;
  readonly #now: () => number;
  #served: { publicUrl: string; network: PushNetwork } | undefined;

  constructor({ keeper, now, tokens }: PushesOptions) {
    this.#now = now;
    this.subscriptions = keeper && new Subscriptions({ keeper, now, tokens });
  }

  /** Begins to send, for a server with a public address. */
  serve(publicUrl: string, network: PushNetwork): void {
    this.#served = { publicUrl, network };
  }

  stop(): void {
    this.#served = undefined;
  }

  /** Returns the reason that nothing can be pushed from here; `undefined` if it can. */
  get hindrance(): string | undefined {
    if (this.subscriptions === undefined) return 'a server with a database does not send notifications yet';
    const isSecure = this.#served?.publicUrl.startsWith('https://') === true;
    return isSecure
      ? undefined
      : 'the server has no https address: start it with --public-url https://… behind a proxy that has a certificate';
  }

  /** Returns what is wrong with the address of a push service. */
  async problemOf(endpoint: string): Promise<string | undefined> {
    return this.#served?.network.problemOf(endpoint) ?? this.hindrance;
  }

  /** Sends news to all subscribed browsers. One that cannot be reached keeps none of the others from it. */
  async tell(news: PushNews): Promise<void> {
    const all = this.hindrance === undefined ? await this.subscriptions?.list() : [];
    await Promise.allSettled((all ?? []).map((one) => this.send(one, news)));
  }

  /** Sends news to one browser, and returns the status of its push service. A subscription that the service has ended is removed. */
  async send({ id, endpoint, p256dh, auth }: Subscription, news: PushNews): Promise<number> {
    const [served, known] = [this.#served, this.subscriptions];
    if (served === undefined || known === undefined) throw new Error(this.hindrance);
    const subject = served.publicUrl;
    const authorization = vapidAuthorization(await known.keys(), { endpoint, subject, now: this.#now() });
    const status = await served.network.send({
      endpoint,
      headers: {
        authorization,
        ttl: String(keptFor),
        urgency: news.what === 'needs-you' ? 'high' : 'normal',
        // Of what a service has not delivered yet, later news of the same place take the place of earlier.
        topic: createHash('sha256').update(news.path).digest('base64url').slice(0, 32),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
      },
      body: sealMessage(JSON.stringify(news), { p256dh, auth }),
    });
    if (status === 404 || status === 410) await known.remove(id);
    return status;
  }
}

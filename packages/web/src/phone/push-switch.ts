/** The state of push notifications in this browser: not possible and why, refused by its reader, off, or on under an id of the server. */
export type PushState =
  | { readonly is: 'impossible'; readonly why: string }
  | { readonly is: 'blocked' }
  | { readonly is: 'off' }
  | { readonly is: 'on'; readonly id: string };

/** The calls of the server that a browser is subscribed with. */
export interface PushServer {
  readonly hindrance: () => Promise<string | undefined>;
  readonly key: () => Promise<string>;
  readonly subscribe: (keys: { endpoint: string; p256dh: string; auth: string }) => Promise<string>;
  readonly remove: (id: string) => Promise<unknown>;
}

/** The parts of a browser that push needs. */
export interface PushBrowser {
  /** `undefined` where the browser has none, such as for a page without an https address. */
  readonly manager: () => Promise<Pick<PushManager, 'getSubscription' | 'subscribe'> | undefined>;
  readonly permission: () => NotificationPermission;
  readonly askPermission: () => Promise<NotificationPermission>;
}

/** Turns push notifications of one browser on and off. */
export class PushSwitch {
  readonly #server: PushServer;
  readonly #browser: PushBrowser;

  constructor(server: PushServer, browser: PushBrowser) {
    this.#server = server;
    this.#browser = browser;
  }

  /** Finds out the state. A subscription that the browser has is told to the server again, which may have forgotten it. */
  async look(): Promise<PushState> {
    const { permission } = this.#browser;
    const why = await this.#server.hindrance();
    if (why !== undefined) return { is: 'impossible', why };
    const manager = await this.#browser.manager();
    if (manager === undefined) return { is: 'impossible', why: 'this browser has no push messages for this page' };
    if (permission() === 'denied') return { is: 'blocked' };
    const known = await manager.getSubscription();
    if (known === null || permission() !== 'granted') return { is: 'off' };
    if (!isFor(known, await this.#server.key())) {
      await known.unsubscribe();
      return { is: 'off' };
    }
    return this.#tell(known);
  }

  async turnOn(): Promise<PushState> {
    if ((await this.#browser.askPermission()) !== 'granted') return { is: 'blocked' };
    const manager = await this.#browser.manager();
    if (manager === undefined) return this.look();
    const key = await this.#server.key();
    return this.#tell(await manager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) }));
  }

  async turnOff(id: string): Promise<PushState> {
    await this.#server.remove(id);
    const known = await (await this.#browser.manager())?.getSubscription();
    await known?.unsubscribe();
    return { is: 'off' };
  }

  async #tell(subscription: PushSubscription): Promise<PushState> {
    const { endpoint, keys = {} } = subscription.toJSON();
    const { p256dh = '', auth = '' } = keys;
    return {
      is: 'on',
      id: await this.#server.subscribe({ endpoint: endpoint ?? subscription.endpoint, p256dh, auth }),
    };
  }
}

/** Returns true if a subscription was made with the key of this server. */
function isFor({ options }: PushSubscription, key: string): boolean {
  const given = options.applicationServerKey;
  if (given === null) return false;
  const [one, other] = [new Uint8Array(given), bytesOf(key)];
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Not all browsers take the key as a text. */
function bytesOf(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(key.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

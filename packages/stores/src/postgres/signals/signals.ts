import { Client } from 'pg';
import { decodeSignal, Inbox, Outbox } from './wake-message.ts';

export interface SignalsOptions {
  /** The URL of a connection that no pooler stands in front of. */
  url: string;
  /** The channel of PostgreSQL. */
  channel: string;
  /** The name of the connection in lists of the database. */
  name: string;
  /** Names this handle, whose own notifications are left out. */
  sender: string;
  /** Called for a log of another handle; without a name, any may have changed. */
  woken: (log?: string, seq?: number) => void;
  heard: (channel: string, message: string) => void;
}

/**
 * The connection on which one handle tells the others what it has committed, and hears them. Notifications are collected for some
 * milliseconds and sent apart from the appends: inside their transactions they would make all commits of the database wait for each other.
 */
export class Signals {
  readonly #options: SignalsOptions;
  readonly #outbox: Outbox;
  readonly #inbox = new Inbox();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #sending: NodeJS.Timeout | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #isSending = false;
  #underWay: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: SignalsOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.sender);
  }

  /** True while what others commit is heard. */
  get isListening(): boolean {
    return this.#client !== undefined;
  }

  /** Connects. Resolves also if that fails: it is tried again, and until then polling finds what is new. */
  start(): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  changed(log: string, seq?: number): void {
    this.#outbox.addLog(log, seq);
    this.#sendSoon();
  }

  say(channel: string, message: string): void {
    this.#outbox.say(channel, message);
    this.#sendSoon();
  }

  async close(): Promise<void> {
    clearTimeout(this.#reconnecting);
    await this.#connecting;
    clearTimeout(this.#sending);
    // The last commits are told, too.
    await this.#underWay;
    await this.#send();
    this.#isClosed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const { url, channel, name, woken } = this.#options;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      query_timeout: 20_000,
      keepAlive: true,
      application_name: name,
    });
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      this.#client = client;
      // Whatever was told before has been missed.
      woken();
      this.#sendSoon();
    } catch {
      await client.end().catch(() => {});
      this.#connectLater();
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#reconnecting);
    // Not all processes at once when the database is back.
    const delay = reconnectMilliseconds * (0.5 + Math.random());
    this.#reconnecting = setTimeout(() => void this.start(), delay).unref();
  }

  #receive(payload: string): void {
    const { sender, woken, heard } = this.#options;
    const signal = decodeSignal(payload);
    if (signal === undefined || signal.sender === sender) return;
    if (signal.type === 'all') woken();
    if (signal.type === 'logs') for (const [log, seq] of signal.logs) woken(log, seq ?? undefined);
    if (signal.type === 'said') {
      const said = this.#inbox.add(signal);
      if (said !== undefined) heard(...said);
    }
  }

  #sendSoon(): void {
    this.#sending ??= setTimeout(() => {
      this.#sending = undefined;
      this.#underWay = this.#send();
    }, collectMilliseconds);
  }

  async #send(): Promise<void> {
    if (this.#client === undefined) this.#outbox.forgetSaid();
    if (this.#client === undefined || this.#isSending || this.#outbox.isEmpty) return;
    this.#isSending = true;
    const messages = this.#outbox.take();
    try {
      await this.#client.query({
        name: 'notify',
        text: 'SELECT pg_notify($1, m) FROM unnest($2::text[]) AS m',
        values: [this.#options.channel, messages],
      });
    } catch {
      // Announcements are lost. Of logs the others are told to look at all of them, as soon as they can be told.
      this.#outbox.addAll();
    } finally {
      this.#isSending = false;
      if (!this.#outbox.isEmpty) this.#sendSoon();
    }
  }
}

/** Returns the name of the listening connections of a schema, of which each process has one. */
export function signalsName(schema: string): string {
  return `loom signals ${schema}`;
}

/** Short beside the time of a commit over a network, and enough for any number of commits to share a notification. */
const collectMilliseconds = 10;
const reconnectMilliseconds = 500;

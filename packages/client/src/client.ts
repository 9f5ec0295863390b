import type { Clock, Ids, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { Backoff } from './backoff.ts';
import { ClientError } from './client-error.ts';
import { EventTransport } from './event-transport.ts';
import { FollowedConversation } from './followed-conversation.ts';
import type { FollowOptions } from './followed-conversation.ts';
import { FollowedList } from './followed-list.ts';
import type { FollowListOptions } from './followed-list.ts';
import type { Fetch, FetchAnswer, FetchInit, OpenSocket } from './ports.ts';
import { readAnswer, readValue } from './answers.ts';
import { KnownPlace } from './server-place.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { OutboxStorage } from './outbox/outbox-storage.ts';
import type { Locate, ServerPlace } from './server-place.ts';
import { SocketTransport } from './socket-transport.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** The options of a client: a server that stays where it is, or a way to find one that may move. */
export type ClientOptions = ClientPorts & (ServerPlace | { locate: Locate });

export interface ClientPorts {
  fetch: Fetch;
  /** Opens a socket; without it conversations are followed by server-sent events. */
  openSocket?: OpenSocket;
  clock: Clock;
  /** Ids that no other client of the same agent makes. */
  ids: Ids;
  /** At least 0, less than 1. */
  random: () => number;
}

export interface CallOptions {
  /** The key of the request; a repeated one is done once. Default: a new id. */
  key?: string;
  /** The number of tries while the server is away. Default: 3. */
  attempts?: number;
  /** Given when the answer is no longer wanted: the call rejects, and a search ends at the server. */
  signal?: AbortSignal;
}

/** A client of one server, in the name of one token. */
export class LoomClient {
  readonly #options: ClientPorts;
  readonly #place: KnownPlace;
  readonly #isMovable: boolean;
  readonly #outboxes = new Set<Outbox>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#isMovable = 'locate' in options;
    this.#place = new KnownPlace('locate' in options ? options.locate : () => Promise.resolve(options));
  }

  /**
   * Asks for an operation. While the server is away the client asks again, under the same key, so that nothing is done
   * twice. Rejects with a `ClientError` if there was no answer, or if the server did not let the client in.
   */
  call<Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    options?: CallOptions,
  ): Promise<Outcome<ResultOf<Name>>>;
  async call(
    name: string,
    params: unknown,
    { key, attempts = 3, signal }: CallOptions = {},
  ): Promise<Outcome<unknown>> {
    const { ids } = this.#options;
    const id = key ?? ids.next();
    const backoff = new Backoff(this.#options);
    for (let left = attempts; ; left -= 1) {
      try {
        return await this.#post(`/api/v1/${name}`, params, id, signal);
      } catch (error) {
        if (left <= 1 || !(error instanceof ClientError) || !this.#mayHelp(error)) throw error;
        await new Promise<void>((resolve) => void backoff.wait(resolve));
      }
    }
  }

  /** Keeps bytes with the server. Returns the id by which a block names them. */
  async putBlob(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const headers = { 'content-type': 'application/octet-stream' };
    return readValue(await this.#send('/api/v1/blobs', { method: 'POST', headers, body: bytes }), 'blob');
  }

  /** The bytes of a blob, or `undefined` if the server has none of that name. */
  async getBlob(id: string): Promise<Uint8Array | undefined> {
    const place = await this.#place.get();
    const path = `/api/v1/blobs/${encodeURIComponent(id)}`;
    const answer = await request(place, this.#options.fetch, path, { method: 'GET', headers: {} });
    if (answer.status === 200) return readBytes(answer);
    if (answer.status === 404) return undefined;
    readAnswer(answer.status, await answer.text());
    throw new ClientError('unreadable', `the server answered ${answer.status} to a request for a blob`);
  }

  /** A code by which a browser signs in once, within five minutes, as this client; only an owner's token may ask for one. */
  async issueCode(): Promise<string> {
    return readValue(await this.#post('/auth/code', {}, this.#options.ids.next()), 'code');
  }

  /** The same as an address that a browser opens. */
  async issueLink(): Promise<string> {
    return readValue(await this.#post('/auth/code', {}, this.#options.ids.next()), 'link');
  }

  /** Returns the agent that this client's token stands for: the name under which its changes are kept. */
  async agent(): Promise<string> {
    return readValue(await this.#send('/auth/me', { method: 'GET', headers: {} }), 'agent');
  }

  /** Returns the role that the token gives this client: `reader`, `appender`, `writer` or `owner`. */
  async role(): Promise<string> {
    return readValue(await this.#send('/auth/me', { method: 'GET', headers: {} }), 'role');
  }

  /** Follows a conversation: its content and its changes, until it is closed. */
  follow(root: string, options: FollowOptions = {}): FollowedConversation {
    const { clock, ids } = this.#options;
    const backoff = new Backoff(this.#options);
    return new FollowedConversation({ ...options, root, clock, ids, createTransport: this.#createTransport, backoff });
  }

  /** Follows the list of conversations, until it is closed. */
  followList(options: FollowListOptions = {}): FollowedList {
    const readPage = async (after: string): Promise<ResultOf<'root.list'>> => {
      const page = await this.call('root.list', { after, ...(options.children === false ? { children: false } : {}) });
      if (page.ok) return page.value;
      throw new ClientError(page.refusal.reason, `the list cannot be read: ${page.refusal.reason}`);
    };
    const { ids } = this.#options;
    const backoff = new Backoff(this.#options);
    return new FollowedList({ ...options, ids, createTransport: this.#createTransport, backoff, readPage });
  }

  /**
   * Opens the outbox for work done here while the server is away, or just before: it is kept in a storage, and sent in
   * order.
   */
  async openOutbox(storage: OutboxStorage): Promise<Outbox> {
    const { clock, ids } = this.#options;
    // Loaded late: many clients only read, and a page is drawn before anything is said.
    const { Outbox: ClientOutbox } = await import('./outbox/outbox.ts');
    // Twice, since a server that has moved takes another token.
    const call = (name: string, params: unknown, key: string): Promise<Outcome<unknown>> =>
      this.call(name, params, { key, attempts: 2 });
    const backoff = new Backoff(this.#options);
    const onClose = (): void => void this.#outboxes.delete(outbox);
    const outbox = new ClientOutbox({ storage, clock, ids, backoff, call, onClose });
    this.#outboxes.add(outbox);
    return outbox.open();
  }

  readonly #createTransport = (told: TransportEvents): Transport => {
    const { openSocket } = this.#options;
    const events = { ...told, opened: () => this.#opened(told) };
    const connection = {
      ...this.#options,
      place: () => this.#place.get(),
      lose: (place: ServerPlace) => this.#place.lose(place),
      ticket: () => this.#ticket(),
    };
    return openSocket === undefined
      ? new EventTransport(connection, events)
      : new SocketTransport({ ...connection, openSocket }, events);
  };

  /** Wakes the outboxes: a server that lets a feed begin takes waiting entries, too. */
  #opened(told: TransportEvents): void {
    told.opened();
    for (const outbox of this.#outboxes) outbox.wake();
  }

  async #ticket(): Promise<string> {
    const ask = (): Promise<Outcome<unknown>> => this.#post('/auth/ticket', {}, this.#options.ids.next());
    const answer = ask().catch((error: unknown) => {
      if (error instanceof ClientError && error.isSignedOut && this.#isMovable) return ask();
      throw error;
    });
    return readValue(await answer, 'ticket');
  }

  #post(path: string, value: unknown, key: string, signal?: AbortSignal): Promise<Outcome<unknown>> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const body = JSON.stringify(value);
    return this.#send(path, { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) });
  }

  async #send(path: string, init: FetchInit): Promise<Outcome<unknown>> {
    const place = await this.#place.get();
    try {
      const answer = await request(place, this.#options.fetch, path, init);
      return readAnswer(answer.status, await answer.text());
    } catch (error) {
      if (error instanceof ClientError && (error.isPassing || error.isSignedOut)) this.#place.lose(place);
      throw error;
    }
  }

  /**
   * Returns true if another attempt may be answered: the server is away for a moment, or has moved to where another token
   * opens it.
   */
  #mayHelp(error: ClientError): boolean {
    return error.isPassing || (error.isSignedOut && this.#isMovable);
  }
}

async function readBytes({ body }: FetchAnswer): Promise<Uint8Array> {
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    if (part.value !== undefined) parts.push(part.value);
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Asks a server in the name of its token. */
async function request({ url, token }: ServerPlace, fetch: Fetch, path: string, init: FetchInit): Promise<FetchAnswer> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  try {
    return await fetch(`${url}${path}`, { ...init, headers });
  } catch (cause) {
    if (init.signal?.aborted === true) throw new ClientError('cancelled', 'the call was cancelled', { cause });
    throw new ClientError('unreachable', `there is no answer from ${url}; check that the server is running`, { cause });
  }
}

/** Trades a one-time code for a token; says whom it stands for. */
export async function signIn(url: string, code: string, fetch: Fetch): Promise<{ token: string; agent: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/auth/sign-in`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  const outcome = readAnswer(answer.status, await answer.text());
  return { token: readValue(outcome, 'token'), agent: readValue(outcome, 'agent') };
}

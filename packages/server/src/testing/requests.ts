import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Operation, ParamsOf, ResultOf } from '@loom/kernel';
import { WebSocket } from 'ws';
import { z } from 'zod';

const outcome = z.looseObject({ ok: z.boolean() });
const success = z.strictObject({
  ok: z.literal(true),
  value: z.unknown(),
  cursor: z.strictObject({ epoch: z.string(), seq: z.int() }).optional(),
});
const ticketAnswer = z.object({ value: z.object({ ticket: z.string() }) });

/** Requests of one agent to a server. */
export class Requests {
  readonly url: string;
  readonly token: string;
  readonly #operations: ReadonlyMap<string, Operation>;

  constructor(url: string, token: string, operations: readonly Operation[]) {
    this.url = url;
    this.token = token;
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]));
  }

  /** Sends a request with the token, unless other headers say otherwise. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ authorization: `Bearer ${this.token}` });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  /** Calls an operation; the answer must match its row. Fails if it is refused. */
  call<Name extends string>(name: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>;
  async call(name: string, params: unknown): Promise<unknown> {
    const { status, body } = await this.post(`/api/v1/${name}`, params);
    assert.equal(status, 200, JSON.stringify(body));
    const { value } = success.parse(body);
    return this.#operations.get(name)?.result.parse(value);
  }

  async post(path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    const response = await this.fetch(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, body: outcome.parse(await response.json()) };
  }

  /** Returns the address of the feed, with a ticket for one connection. */
  async feedAddress(): Promise<string> {
    const { body } = await this.post('/auth/ticket', {});
    const { ticket } = ticketAnswer.parse(body).value;
    return `${this.url.replace('http', 'ws')}/api/v1/feed?ticket=${ticket}`;
  }

  /** A WebSocket to the feed. */
  async connect(options: { autoPong?: boolean } = {}): Promise<WebSocket> {
    const socket = new WebSocket(await this.feedAddress(), options);
    await once(socket, 'open');
    return socket;
  }
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

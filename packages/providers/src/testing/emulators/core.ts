import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Failure, Said, Scenario } from '../scenarios.ts';

/** A request as it came through the socket. */
export interface Received {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The body, parsed; `undefined` if it is not JSON. */
  json: unknown;
  /** Resolves when the connection is over: `true` if the client has closed it before the end of the answer. */
  isLeft: Promise<boolean>;
}

/** The reason a request is refused, in the words of the real API. */
export interface Refusal {
  status: number;
  kind: string;
  message: string;
}

/** The differences between the wires of model APIs. */
export interface EmulatedWire {
  /** Returns the refusal of the real API; `undefined` if it would answer. */
  refuse(request: Received): Refusal | undefined;
  /** Returns the content of a request, in neutral terms. */
  read(request: Received): Asked;
  /** An answer as pieces of the stream. */
  write(answer: Answer, request: Received): Iterable<string>;
  /** Returns the form of a failure in place of an answer, and of one within an answer. */
  failureBody(failure: Refusal): string;
  failureEvent(failure: Refusal): string;
  /** Returns the API's name of this status. */
  kindOf(status: number): string;
  contentType: string;
  /** The optional scenario features that it supports. */
  abilities: readonly NonNullable<Scenario['needs']>[];
  /** The field of a request's body that holds the conversation. */
  conversationField: string;
  /** Returns a conversation without marks that do not count, such as those for a cache. */
  withoutMarks?(json: string): string;
  /** Responds at other paths, such as the list of models. */
  respond?(request: Received): string | undefined;
}

/** The content of a request, in neutral terms. */
export interface Asked {
  /** The user's last message. */
  said: string;
  /** The number of result rounds since then. */
  rounds: number;
  /** The number of files sent. */
  files: number;
}

export interface Emulator {
  url: string;
  /** All received requests, in their order. */
  requests: readonly Received[];
  /** Resolves when a scripted answer holds back. */
  held: Promise<void>;
  /** Lets it continue. */
  release(): void;
  close(): Promise<void>;
}

/** Decides the answer. */
export type Script = (asked: Asked, request: Received, count: number) => Answer;

/** The state of a run. */
interface Emulation {
  wire: EmulatedWire;
  script: Script;
  gate: Gate;
}

/** Listens on loopback as a model API would. */
export async function startEmulator(wire: EmulatedWire, script: Script): Promise<Emulator> {
  const requests: Received[] = [];
  const gate = new Gate();
  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    void receive(incoming, response).then(async (request) => {
      const more = wire.respond?.(request);
      if (more !== undefined) return sendWhole(response, 200, more);
      requests.push(request);
      await answer({ wire, script, gate }, request, requests.length, response);
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    held: gate.reached,
    release: () => gate.open(),
    close: () =>
      new Promise((resolve) => {
        gate.open();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { wire, script, gate }: Emulation,
  request: Received,
  count: number,
  response: ServerResponse,
): Promise<void> {
  const refused = wire.refuse(request);
  if (refused !== undefined) return sendWhole(response, refused.status, wire.failureBody(refused));
  const scripted = script(wire.read(request), request, count);
  const failure = count > (scripted.failure?.times ?? Number.POSITIVE_INFINITY) ? undefined : scripted.failure;
  const refusal = failure === undefined ? undefined : refusalOf(wire, failure);
  if (refusal !== undefined && failure?.after === undefined) {
    const wait = failure?.retryAfter === undefined ? {} : { 'retry-after': String(failure.retryAfter) };
    return sendWhole(response, refusal.status, wire.failureBody(refusal), wait);
  }
  if (failure?.kind === 'held' && failure.after === undefined) await gate.wait();
  response.writeHead(200, { 'content-type': wire.contentType });
  response.flushHeaders();
  let isDue = failure?.after === '';
  for (const piece of wire.write(scripted, request)) {
    if (isDue && failure !== undefined) {
      if (refusal !== undefined) return void response.end(wire.failureEvent(refusal));
      // Bytes that come together with the end of their socket are lost in the client's own buffer; text comes before it.
      if (failure.kind === 'held' || failure.after !== '') await gate.wait();
      if (failure.kind === 'cut') return void response.destroy();
      isDue = false;
    }
    if (response.destroyed) return;
    await send(response, piece, scripted.pieceSize);
    if (failure?.after && piece.includes(failure.after)) isDue = true;
  }
  response.end();
}

function refusalOf(wire: EmulatedWire, { status, message = 'It failed.' }: Failure): Refusal | undefined {
  return status === undefined ? undefined : { status, kind: wire.kindOf(status), message };
}

/** Small pieces go out one by one, so that characters are cut. */
async function send(response: ServerResponse, text: string, pieceSize: number | undefined): Promise<void> {
  const bytes = Buffer.from(text);
  const size = pieceSize ?? bytes.length;
  for (let start = 0; start < bytes.length; start += size) {
    const isFlushed = response.write(bytes.subarray(start, start + size));
    if (pieceSize !== undefined) await new Promise((resolve) => setImmediate(resolve));
    if (!isFlushed && !response.destroyed) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn).off('close', goOn);
      resolve();
    };
    response.on('drain', goOn).on('close', goOn);
  });
}

function sendWhole(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<Received> {
  const isLeft = new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(!response.writableFinished));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) if (chunk instanceof Buffer) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers, body, json: parse(body), isLeft };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A gate that is closed until it is opened; then it stays open. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  /** Resolves when something waits. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  wait(): Promise<void> {
    this.#reached.resolve();
    return this.#opened.promise;
  }
}

/** Returns a text in pieces of a few characters, cut anywhere except inside a character. */
export function pieces(text: string, size = 12): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}

/** Returns the usage of an answer, with defaults for missing numbers. */
export function usageOf({ usage }: Answer): Required<NonNullable<Answer['usage']>> {
  return { input: 20, output: 10, cached: 0, written: 0, reasoning: 0, ...usage };
}

/** Returns true if an answer leaves calls to run. */
export function hasCalls(said: readonly Said[]): boolean {
  return said.some((part) => 'call' in part);
}

/** Returns the bytes of a conversation as they were sent, without the closing bracket: those of the next request must begin with them. */
export function conversationText(wire: EmulatedWire, { body }: Received): string {
  const { conversationField } = wire;
  const start = body.indexOf(`"${conversationField}":[`) + conversationField.length + 3;
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < body.length; at += 1) {
    const character = body[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > 0) continue;
    const text = body.slice(start, at);
    return wire.withoutMarks?.(text) ?? text;
  }
  throw new Error(`the request has no ${conversationField}`);
}

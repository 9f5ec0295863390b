import type { Clock, ProviderCall } from '@loom/kernel';
import type { Timeouts } from '../api.ts';
import { EndlessLineError, SilenceError } from '../errors/call-error.ts';
import { mendBody } from './exact-values.ts';
import { ByteRedaction, withoutSecrets } from './redaction.ts';

/** The observers of everything that an SDK sends and receives. */
export interface Watch {
  fetch: typeof globalThis.fetch;
  clock: Clock;
  timeouts: Timeouts;
  record: ProviderCall['record'];
  /** Never recorded. */
  secrets: readonly string[];
  exact: ReadonlyMap<string, string>;
  /** Called when the head of an answer has come. */
  onHead: (response: Response) => void;
  /** Called with bytes of its body. */
  onBytes: (bytes: Uint8Array) => void;
  /** Called when the answer breaks off. */
  onBroken: (error: unknown) => void;
}

/** Returns a `fetch` that mends and records the request, records the answer as it comes, and ends a connection that is silent for too long. */
export function watchFetch(watch: Watch): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const body = typeof init.body === 'string' ? mendBody(init.body, watch.exact) : init.body;
    const url = input instanceof Request ? input.url : String(input);
    recordRequest(watch, url, init, body);
    const stop = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    const onSilence = (isFirst: boolean): (() => void) => {
      const milliseconds = isFirst ? watch.timeouts.firstByte : watch.timeouts.stall;
      return watch.clock.after(milliseconds, () => stop.abort(new SilenceError(isFirst, milliseconds)));
    };
    const cancel = onSilence(true);
    try {
      // A redirect would carry the key to another place.
      const response = await watch.fetch(input, { ...init, ...(body ? { body } : {}), signal, redirect: 'error' });
      recordHead(watch, response);
      watch.onHead(response);
      return response.body === null ? response : watchBody(watch, response, response.body, onSilence);
    } finally {
      cancel();
    }
  };
}

const lineBreak = 10;
/** The largest images that models make come as one line, and are far smaller. */
const longestLine = 2 ** 26;

function watchBody(
  watch: Watch,
  { status, statusText, headers }: Response,
  body: ReadableStream<Uint8Array>,
  onSilence: (isFirst: boolean) => () => void,
): Response {
  const reader = body.getReader();
  const redaction = new ByteRedaction(watch.secrets);
  const record = (bytes: Uint8Array): void => {
    if (bytes.length > 0) watch.record('response', bytes);
  };
  let isFirst = true;
  let lineLength = 0;
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const cancel = onSilence(isFirst);
        try {
          const { done, value } = await reader.read();
          isFirst = false;
          if (done) {
            record(redaction.end());
            return controller.close();
          }
          record(redaction.take(value));
          lineLength = value.length - 1 - value.lastIndexOf(lineBreak) + (value.includes(lineBreak) ? 0 : lineLength);
          if (lineLength > longestLine) throw new EndlessLineError(longestLine);
          watch.onBytes(value);
          controller.enqueue(value);
        } catch (error) {
          // An error would make every stream on the way drop its buffer; at an end they pass it on.
          record(redaction.end());
          watch.onBroken(error);
          controller.close();
          void reader.cancel(error).catch(() => {});
        } finally {
          cancel();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Received bytes are taken from the socket, however slow the reader is: an error of the socket drops the bytes that are still in it.
    { highWaterMark: 64 },
  );
  return new Response(watched, { status, statusText, headers });
}

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
]);

function recordRequest(watch: Watch, url: string, init: RequestInit, body: RequestInit['body']): void {
  const head = `${init.method ?? 'GET'} ${withoutKey(url)}\n${headerLines(new Headers(init.headers))}\n`;
  const text = typeof body === 'string' ? head + body : head;
  watch.record('request', encode(withoutSecrets(text, watch.secrets)));
}

function recordHead(watch: Watch, { status, statusText, headers }: Response): void {
  const head = `${status} ${statusText}\n${headerLines(headers)}\n`;
  watch.record('response', encode(withoutSecrets(head, watch.secrets)));
}

function headerLines(headers: Headers): string {
  return [...headers].map(([name, value]) => `${name}: ${secretHeaders.has(name) ? '[redacted]' : value}\n`).join('');
}

function withoutKey(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  if (url.searchParams.has('key')) url.searchParams.set('key', '[redacted]');
  if (url.password !== '') url.password = '[redacted]';
  return url.href;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

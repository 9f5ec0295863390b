import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

/**
 * Returns a `fetch` for servers that send one JSON body instead of a stream: errors with status 200 get a failure status, a whole answer becomes a
 * stream of one chunk.
 */
export function readWholeAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !/^application\/(problem\+)?json/.test(type)) return response;
    const text = await response.text();
    const status = statusOfError(text);
    if (status !== undefined) return new Response(text, { status, headers: response.headers });
    return new Response(asStream(text), { headers: { 'content-type': 'text/event-stream' } });
  };
}

/** Returns the status that an error body should have come with; `undefined` if it is not an error. */
function statusOfError(text: string): number | undefined {
  const body = parse(text);
  const error = body?.error;
  if (error === undefined || error === null || body?.choices !== undefined) return undefined;
  const code = isPlainObject(error) ? Number(error.code ?? error.status) : Number.NaN;
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : 500;
}

/** Returns a whole answer as a stream. */
function asStream(text: string): string {
  const body = parse(text);
  if (body === undefined || !Array.isArray(body.choices)) return `data: ${text.replaceAll(/\r?\n/g, ' ')}\n\n`;
  const choices = body.choices.filter(isPlainObject).map(({ message, ...choice }) => ({ ...choice, delta: message }));
  return `data: ${JSON.stringify({ ...body, object: 'chat.completion.chunk', choices })}\n\ndata: [DONE]\n\n`;
}

function parse(text: string): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

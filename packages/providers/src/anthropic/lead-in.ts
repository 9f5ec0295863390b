/**
 * Returns a `fetch` whose streams begin with an event that the SDK knows. The SDK looks at the first event before it hands out the stream, and throws
 * if that one is unknown; unknown events after it are only reported.
 */
export function withLeadIn(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (body === null || !response.ok || !isStream) return response;
    return new Response(body.pipeThrough(leadingStream()), { status, statusText, headers });
  };
}

/** A byte order mark counts only at the very beginning, so it is removed. */
function leadingStream(): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array | undefined = new Uint8Array();
  return new TransformStream({
    start: (controller) => controller.enqueue(leadIn),
    transform(bytes, controller) {
      if (held === undefined) return controller.enqueue(bytes);
      held = Buffer.concat([held, bytes]);
      const isMark = held.every((byte, index) => index >= byteOrderMark.length || byte === byteOrderMark[index]);
      if (isMark && held.length < byteOrderMark.length) return undefined;
      controller.enqueue(isMark ? held.subarray(byteOrderMark.length) : held);
      held = undefined;
    },
    flush(controller) {
      if (held !== undefined) controller.enqueue(held);
    },
  });
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Returns true if an event was added here and did not come from the server. */
export function isLeadIn({ index }: { index?: unknown }): boolean {
  return index === leadInEvent.index;
}

/** A block that gets no text, at an index that no server uses. */
const leadInEvent = { type: 'content_block_start', index: -1, content_block: { type: 'text', text: '' } };
const leadIn = new TextEncoder().encode(`data: ${JSON.stringify(leadInEvent)}\n\n`);

/**
 * Returns a `fetch` for streams of chat completions in which `[DONE]` alone is an end: some servers never send a finish reason, and the SDK takes
 * that for a broken connection. A chunk with the reason is put before the mark; a stream that just ends still counts as cut.
 */
export function endAtDone(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (body === null || !response.ok || !isStream) return response;
    return new Response(body.pipeThrough(finishedStream()), { status, statusText, headers });
  };
}

/** Passes on whole lines, and holds back the incomplete one: only a whole line can be recognized as the mark. */
function finishedStream(): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array[] = [];
  let [hasAnswer, hasReason] = [false, false];
  const take = (bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    hasAnswer ||= text.includes('"choices"');
    hasReason ||= reason.test(text);
    const at = hasAnswer && !hasReason ? text.search(mark) : -1;
    if (at === -1) return controller.enqueue(bytes);
    hasReason = true;
    controller.enqueue(bytes.subarray(0, at));
    controller.enqueue(ending);
    controller.enqueue(bytes.subarray(at));
  };
  return new TransformStream({
    transform(bytes, controller) {
      const end = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
      if (end === 0) return void held.push(bytes);
      take(Buffer.concat([...held, bytes.subarray(0, end)]), controller);
      held = end === bytes.length ? [] : [bytes.subarray(end)];
    },
    flush(controller) {
      if (held.length > 0) take(Buffer.concat(held), controller);
    },
  });
}

const [lineFeed, carriageReturn] = [10, 13];
const mark = /^data:[ \t]*\[DONE\][ \t]*$/m;
/** In a text of the model the quotation marks would be escaped. */
const reason = /"finish_reason"\s*:\s*"/;
const ending = new TextEncoder().encode(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
);

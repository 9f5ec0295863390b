/**
 * Returns a `fetch` that passes the arguments of calls on verbatim. On Gemini's wire they are an object, which every reader parses: `1.0` becomes
 * `1`, long integers lose digits. So the object is put into a string before it is parsed.
 */
export function keepArguments(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null || !response.ok) return response;
    const lines = new ArgumentLines();
    const changed = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, controller) => enqueue(controller, lines.take(bytes)),
        flush: (controller) => enqueue(controller, lines.end()),
      }),
    );
    return new Response(changed, { status, statusText, headers });
  };
}

function enqueue(controller: TransformStreamDefaultController<Uint8Array>, text: string): void {
  if (text !== '') controller.enqueue(new TextEncoder().encode(text));
}

/** Gathers the lines of an answer, however its bytes are cut, since only a whole line can be changed. */
export class ArgumentLines {
  readonly #decoder = new TextDecoder();
  #held = '';

  /** Takes bytes; returns the lines that are complete now. */
  take(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end === 0) {
      this.#held += text;
      return '';
    }
    const complete = this.#held + text.slice(0, end);
    this.#held = text.slice(end);
    return quoteLines(complete);
  }

  end(): string {
    return quoteLines(this.#held + this.#decoder.decode());
  }
}

function quoteLines(text: string): string {
  if (!text.includes('"functionCall"')) return text;
  return text
    .split(/(?<=[\r\n])/)
    .map((line) => (line.startsWith('data:') && line.includes('"functionCall"') ? quoteArguments(line) : line))
    .join('');
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Returns a line of JSON in which every object that is the `args` of a `functionCall` is a string with its text. */
function quoteArguments(line: string): string {
  const spans: { start: number; end: number }[] = [];
  /** The keys of the enclosing objects, innermost last; a list has none. */
  const around: (string | undefined)[] = [];
  let key: string | undefined;
  let last = '';
  let begun: { depth: number; start: number } | undefined;
  for (const { 0: found, index } of line.slice(5).matchAll(token)) {
    const start = index + 5;
    if (found === ':' && last.startsWith('"')) key = last;
    else if (found === '{' || found === '[') {
      if (begun === undefined && found === '{' && key === '"args"' && around.at(-1) === '"functionCall"') {
        begun = { depth: around.length, start };
      }
      around.push(key);
      key = undefined;
    } else if (found === '}' || found === ']') {
      around.pop();
      if (begun?.depth === around.length) {
        spans.push({ start: begun.start, end: start + 1 });
        begun = undefined;
      }
      key = undefined;
    } else if (found === ',') key = undefined;
    last = found;
  }
  return spans.reduceRight(
    (text, { start, end }) => text.slice(0, start) + JSON.stringify(text.slice(start, end)) + text.slice(end),
    line,
  );
}

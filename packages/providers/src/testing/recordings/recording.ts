/** An HTTP API for models. Several vendors speak the last two. */
export type WireName = 'anthropic' | 'google' | 'openai-responses' | 'openai-chat';

/** A recorded response of an API, with its request if that was recorded too. */
export interface Recording {
  /** The file, and the number of the answer in it. */
  name: string;
  wire: WireName;
  status: number;
  /** The body as it goes over the wire: server-sent events, or the JSON of an error. */
  body: string;
  /** True if it was recorded as one answer and is replayed as a stream. */
  isRetold: boolean;
  request?: RecordedRequest;
}

export interface RecordedRequest {
  url: string;
  body: unknown;
}

/** Returns the wire a value belongs to: an event of a stream, or a whole answer. */
export function wireOf(value: unknown): WireName | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, object, candidates, promptFeedback, choices }: { [key: string]: unknown } = { ...value };
  if (Array.isArray(candidates) || promptFeedback !== undefined) return 'google';
  if (typeof type === 'string' && type.startsWith('response.')) return 'openai-responses';
  if (object === 'response') return 'openai-responses';
  if (type === 'message_start' || type === 'message') return 'anthropic';
  const isCompletion = typeof object === 'string' && object.startsWith('chat.completion');
  return isCompletion || (Array.isArray(choices) && object !== 'text_completion') ? 'openai-chat' : undefined;
}

/** Returns the values of a stream of server-sent events, in their order; events that are not JSON are left out. */
export function eventsOf(body: string): unknown[] {
  return body.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
      .join('\n');
    return readJson(data);
  });
}

/** Returns the value of a JSON text as a list of one, or an empty list if it is not JSON. */
export function readJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** Returns a stream of server-sent events in the form that servers of this wire write. */
export function writeEvents(wire: WireName, events: readonly unknown[]): string {
  const isNamed = wire === 'anthropic' || wire === 'openai-responses';
  const written = events.map((event) => {
    const type: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'type') : undefined;
    return `${isNamed && typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
  });
  return written.join('') + (wire === 'openai-chat' ? 'data: [DONE]\n\n' : '');
}

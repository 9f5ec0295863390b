import { parseServerFrame } from '@loom/sync';
import type { ServerFrame } from '@loom/sync';

/** An event of a stream, as it was sent. */
interface RawEvent {
  id?: string;
  data?: unknown;
  comment?: string;
}

/** An event of the feed of a conversation. */
export interface StreamedEvent extends Omit<RawEvent, 'data'> {
  frame?: ServerFrame;
}

/** The events of a conversation, one after the other. */
export async function* readEvents(response: Response): AsyncGenerator<StreamedEvent, void, void> {
  for await (const { data, ...event } of readRawEvents(response)) {
    yield data === undefined ? event : { ...event, frame: parseServerFrame(data) };
  }
}

/** The events of an answer, one after the other. */
export async function* readRawEvents(response: Response): AsyncGenerator<RawEvent, void, void> {
  const { body } = response;
  if (body === null) return;
  const stream: ReadableStream<Uint8Array> = body;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of stream) {
    const events = `${rest}${decoder.decode(part, { stream: true })}`.split('\n\n');
    rest = events.pop() ?? '';
    yield* events.map(readEvent);
  }
}

function readEvent(text: string): RawEvent {
  const event: RawEvent = {};
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) event.id = line.slice(4);
    if (line.startsWith('data: ')) event.data = JSON.parse(line.slice(6));
    if (line.startsWith(': ')) event.comment = line.slice(2);
  }
  return event;
}

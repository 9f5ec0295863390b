import { parseServerFrame } from '@loom/sync';
import type { ServerFrame } from '@loom/sync';

/** An event of a stream, as it was sent. */
export interface StreamedEvent {
  id?: string;
  frame?: ServerFrame;
  comment?: string;
}

/** The events of an answer, one after the other. */
export async function* readEvents(response: Response): AsyncGenerator<StreamedEvent, void, void> {
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

function readEvent(text: string): StreamedEvent {
  const event: StreamedEvent = {};
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) event.id = line.slice(4);
    if (line.startsWith('data: ')) event.frame = parseServerFrame(JSON.parse(line.slice(6)));
    if (line.startsWith(': ')) event.comment = line.slice(2);
  }
  return event;
}

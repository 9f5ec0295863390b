import type { Tally } from '../foreign/foreign.ts';
import { LineSplitter } from '../foreign/line-splitter.ts';
import { kindOf } from './kinds.ts';
import type { NormalizedKind } from './kinds.ts';
import { MessageWindow } from './message-window.ts';
import { UsageCounter } from './totals.ts';

/**
 * Yields the messages of a stream or a file of another program, in order, each when it is complete; the last object holds the cost of the model
 * calls. Before that, `told` gets the tally of the lines; it may throw. Only names are kept of the messages handed out.
 */
export async function* normalize(
  name: NormalizedKind,
  bytes: AsyncIterable<Uint8Array>,
  told: (tally: Tally) => void = () => {},
): AsyncIterable<object> {
  const kind = kindOf(name);
  const reader = kind.create();
  const window = new MessageWindow(kind.source);
  const usage = new UsageCounter();
  const splitter = new LineSplitter({
    line: (text) => reader.push(text),
    tooLong: () => reader.tally.reported('A line is longer than what is read.'),
  });
  const take = (): Iterable<object> => {
    const items = reader.take();
    for (const item of items) if (item.type === 'node') usage.take(item.node);
    return window.take(items);
  };
  for await (const piece of bytes) {
    splitter.push(piece);
    yield* take();
  }
  splitter.end();
  reader.end();
  yield* take();
  yield* window.end();
  told(reader.tally);
  yield usage.line(reader.spending);
}

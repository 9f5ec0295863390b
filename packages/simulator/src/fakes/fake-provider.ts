import type { Message } from '@loom/blocks';
import type { Provider, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { inventArguments, toolNames } from './fake-tools.ts';
import type { Random } from '@loom/kernel/testing';

/** The inputs of a process's provider. */
export interface ProviderSurroundings {
  random: Random;
  pause: () => Promise<void>;
  sleep: (milliseconds: number) => Promise<void>;
  newCallId: () => string;
  onRequest: (request: ProviderRequest) => void;
  /** Called with the whole text of a block, before it is emitted. */
  onWords: (words: string) => void;
}

/** Creates a model that the seed makes up: text, thoughts, parallel calls, errors, and pauses between all of them. */
export function createFakeProvider(surroundings: ProviderSurroundings): Provider {
  return { id: 'fake', stream: (request, { signal }) => speak(surroundings, request, signal) };
}

async function* speak(
  surroundings: ProviderSurroundings,
  request: ProviderRequest,
  signal: AbortSignal,
): AsyncIterable<ProviderEvent> {
  const { random, pause, sleep, onRequest } = surroundings;
  onRequest(request);
  const slowness = random.pick([0, 0, 50, 4_000]) ?? 0;
  for (const event of compose(surroundings, request)) {
    if (slowness > 0 && random.chance(0.4)) await sleep(random.below(slowness));
    else await pause();
    // A stopped stream may still have an event or two on the way.
    if (signal.aborted && random.chance(0.7)) return;
    yield event;
  }
}

function compose({ random, newCallId, onWords }: ProviderSurroundings, { messages }: ProviderRequest): ProviderEvent[] {
  const message = 'answer';
  const events: ProviderEvent[] = [{ type: 'call-start' }, { type: 'note', data: { messages: messages.length } }];
  // The first block is retracted now and then: at certain lengths of the history.
  if (messages.length % 5 === 4) {
    const key = 'second thought';
    events.push(
      { type: 'retrying', attempt: 1, delay_ms: 10, reason: 'overloaded' },
      { type: 'block-start', key, message, role: 'assistant', block: { type: 'text', text: 'no' } },
      { type: 'retract', key },
    );
  }
  const add = (type: 'text' | 'thinking', pieces: readonly string[]): void => {
    const key = `${type}-${events.length}`;
    onWords(pieces.join(''));
    events.push({ type: 'block-start', key, message, role: 'assistant', block: { type, text: '' } });
    for (const text of pieces) events.push({ type: 'block-delta', key, field: 'text', text });
    const signed = { type, text: pieces.join('').toWellFormed(), provider: { fake: { signature: key } } } as const;
    events.push(type === 'thinking' ? { type: 'block-end', key, block: signed } : { type: 'block-end', key });
  };
  if (random.chance(0.2)) add('thinking', inventPieces(random));
  if (random.chance(0.5)) add('text', inventPieces(random));
  if (random.chance(0.1)) {
    events.push({ type: 'block', message, role: 'assistant', block: { type: 'sources', sources: [] } });
  }
  // A model is shown code only if its message has no text.
  if (random.chance(0.1)) {
    events.push({ type: 'block', message, role: 'assistant', block: { type: 'code', content: 'let x = 1;' } });
  }
  const called = random.chance(0.9 / (1 + roundsSoFar(messages) / 2)) ? (random.pick([1, 2, 2, 3]) ?? 1) : 0;
  events.push(
    ...weave(
      random,
      Array.from({ length: called }, () => composeCall(random, newCallId(), message, onWords)),
    ),
  );
  if (random.chance(0.7))
    events.push({ type: 'usage', usage: { input_tokens: messages.length, output_tokens: called } });
  const ending = random.weigh(
    [
      ['end', 20],
      ['error', 1],
      ['cut', 1],
    ],
    'end',
  );
  if (ending === 'end') return [...events, { type: 'call-end', reason: called > 0 ? 'tool-use' : 'stop' }];
  const spoken = events.slice(0, 1 + random.below(events.length));
  return ending === 'cut'
    ? spoken
    : [...spoken, { type: 'call-error', error: { code: 'overloaded', message: 'later' } }];
}

function composeCall(random: Random, id: string, message: string, onWords: (words: string) => void): ProviderEvent[] {
  const name = random.chance(0.05) ? 'unheard-of' : (random.pick([...toolNames, 'look', 'change']) ?? 'change');
  const written = inventArguments(random);
  onWords(written);
  const cut = random.below(written.length);
  return [
    {
      type: 'block-start',
      key: id,
      message,
      role: 'assistant',
      block: { type: 'tool-use', id, name, parameters: {}, arguments: '' },
    },
    { type: 'block-delta', key: id, field: 'arguments', text: written.slice(0, cut) },
    { type: 'block-delta', key: id, field: 'arguments', text: written.slice(cut) },
    { type: 'block-end', key: id },
  ];
}

/** Interleaves calls that are written at once: their events take turns, each call's own stay in order. */
function weave(random: Random, calls: readonly ProviderEvent[][]): ProviderEvent[] {
  const left = calls.filter((events) => events.length > 0).map((events) => [...events]);
  const woven: ProviderEvent[] = [];
  for (let next = random.pick(left); next !== undefined; next = random.pick(left.filter(({ length }) => length > 0))) {
    woven.push(...next.splice(0, 1));
  }
  return woven;
}

/** Returns pieces of text, numbered, so that a hole or a repetition shows; some cut an emoji in half. */
export function inventPieces(random: Random): string[] {
  const endings = ['', ' ', '\n', '\u{1f9f5}', '\ud83e', ` and ${'so on '.repeat(9)}`];
  const first = random.below(1_000_000);
  return Array.from({ length: 1 + random.below(3) }, (_, index) => `${first}.${index}${random.pick(endings) ?? ''}`);
}

function roundsSoFar(messages: readonly Message[]): number {
  const lastWord = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(lastWord + 1).filter(({ role }) => role === 'assistant').length;
}

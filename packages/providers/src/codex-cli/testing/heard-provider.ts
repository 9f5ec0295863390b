import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Message, PlainObject } from '@loom/blocks';
import type { Approval, Ask, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { createCodexProvider } from '../index.ts';
import { FakeCodex, hastyClock } from './fake-codex.ts';
import type { FakeAnswer } from './fake-codex.ts';

export function machine(t: TestContext, answer: FakeAnswer) {
  const home = mkdtempSync(join(tmpdir(), 'loom-codex-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const codex = new FakeCodex(home, answer);
  // Limits of time that real programs get would be over at once.
  const clock = {
    ...hastyClock,
    after: (delay: number, run: () => void) => (delay > 1_000 ? () => {} : hastyClock.after(delay, run)),
  };
  const program = { command: ['codex'], environment: { CODEX_HOME: home }, processes: codex, clock };
  return { codex, provider: createCodexProvider({ program, version: '0.1.0', directory: home }) };
}

export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
export const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

export function requestOf(messages: Message[], note?: PlainObject): ProviderRequest {
  const trail = note === undefined ? [] : [{ node: 'n', role: 'assistant' as const, note }];
  return { root: 'r', node: 'n', model: 'default', messages, tools: [], settings: {}, invalid: [], trail };
}

const noBlobs: ProviderCall['blobs'] = {
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve('sha256:0'),
  size: () => Promise.resolve(undefined),
  create: () => Promise.reject(new Error('nothing is kept here')),
};

export interface Heard {
  events: ProviderEvent[];
  asks: [string, Ask][];
}

export async function hear(
  provider: ReturnType<typeof createCodexProvider>,
  request: ProviderRequest,
  options: { decide?: (call: string) => Approval; signal?: AbortSignal; on?: (event: ProviderEvent) => void } = {},
): Promise<Heard> {
  const heard: Heard = { events: [], asks: [] };
  const call: ProviderCall = {
    signal: options.signal ?? new AbortController().signal,
    blobs: noBlobs,
    steering: (async function* () {})(),
    async decide(id, ask) {
      heard.asks.push([id, ask]);
      return options.decide?.(id) ?? { decision: 'approved', by: 'person' };
    },
    async session() {
      async function* lines(): AsyncGenerator<string> {
        yield `{"type":"session_meta","payload":{"id":"written"}}\n`;
      }
      const session = {
        id: 'written',
        path: 'sessions/rollout-written.jsonl',
        command: [],
        end: 'n',
        lines,
        notes: () => [],
      };
      return { ok: true, session };
    },
    record: () => {},
  };
  for await (const event of provider.stream(request, call)) {
    heard.events.push(event);
    options.on?.(event);
    if (event.type === 'call-end' || event.type === 'call-error') break;
  }
  return heard;
}

export const says: FakeAnswer = (turn) => {
  turn.say(`m-${turn.id}`, `Heard ${turn.prompt}`);
  turn.end();
};

export const textsOf = ({ events }: Heard): string[] =>
  events.flatMap((event) => {
    if (event.type !== 'block' && event.type !== 'block-end') return [];
    return event.block?.type === 'text' ? [event.block.text] : [];
  });
export const noteOf = ({ events }: Heard): PlainObject =>
  events.reduce<PlainObject>((joined, event) => (event.type === 'note' ? { ...joined, ...event.data } : joined), {});
export const continuedOf = (heard: Heard): unknown => {
  const { codex } = noteOf(heard);
  return typeof codex === 'object' && codex !== null && 'continued' in codex ? codex.continued : undefined;
};

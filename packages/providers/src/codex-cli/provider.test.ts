import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Message, PlainObject } from '@loom/blocks';
import type { Approval, Ask, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { createCodexProvider } from './index.ts';
import { FakeCodex, hastyClock } from './testing/fake-codex.ts';
import type { FakeAnswer } from './testing/fake-codex.ts';

function machine(t: TestContext, answer: FakeAnswer) {
  const home = mkdtempSync(join(tmpdir(), 'loom-codex-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const codex = new FakeCodex(home, answer);
  // Limits of time that real programs get would be over at once.
  const clock = {
    ...hastyClock,
    after: (delay: number, run: () => void) => (delay > 1_000 ? () => {} : hastyClock.after(delay, run)),
  };
  const program = { command: ['codex'], environment: {}, processes: codex, clock };
  return { codex, provider: createCodexProvider({ program, version: '0.1.0', directory: home }) };
}

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

function requestOf(messages: Message[], note?: PlainObject): ProviderRequest {
  const trail = note === undefined ? [] : [{ node: 'n', role: 'assistant' as const, note }];
  return { root: 'r', node: 'n', model: 'default', messages, tools: [], settings: {}, invalid: [], trail };
}

const noBlobs: ProviderCall['blobs'] = {
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve('sha256:0'),
  size: () => Promise.resolve(undefined),
  create: () => Promise.reject(new Error('nothing is kept here')),
};

interface Heard {
  events: ProviderEvent[];
  asks: [string, Ask][];
}

async function hear(
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

const says: FakeAnswer = (turn) => {
  turn.say(`m-${turn.id}`, `Heard ${turn.prompt}`);
  turn.end();
};

const textsOf = ({ events }: Heard): string[] =>
  events.flatMap((event) => {
    if (event.type !== 'block' && event.type !== 'block-end') return [];
    return event.block?.type === 'text' ? [event.block.text] : [];
  });
const noteOf = ({ events }: Heard): PlainObject =>
  events.flatMap((event) => (event.type === 'note' ? [event.data] : []))[0] ?? {};
const continuedOf = (heard: Heard): unknown => {
  const { codex } = noteOf(heard);
  return typeof codex === 'object' && codex !== null && 'continued' in codex ? codex.continued : undefined;
};

test('[CJ10] words come once, however streaming and session file interleave, and prompt and answer get their names', async (t) => {
  const { provider } = machine(t, says);
  const heard = await hear(provider, requestOf([user('hello')]));
  assert.deepEqual(textsOf(heard), ['Heard hello']);
  const names = heard.events.flatMap((event) => (event.type === 'named' ? [event.origin.id] : []));
  assert.deepEqual(names, ['prompt-turn-2', 'm-turn-2']);
  assert.equal(heard.events.at(-1)?.type, 'call-end');
  await provider.close?.();
});

test('[CJ11] the next turn uses the same process; one that has gone on elsewhere is forked at its turn', async (t) => {
  const { codex, provider } = machine(t, says);
  const first = await hear(provider, requestOf([user('one')]));
  const branch = [user('one'), assistant('Heard one')];
  const second = await hear(provider, requestOf([...branch, user('two')], noteOf(first)));
  assert.equal(codex.starts, 1);
  assert.equal(continuedOf(second), 'resumed');
  // The first turn is no longer the last one of its thread.
  const other = await hear(provider, requestOf([...branch, user('three')], noteOf(first)));
  assert.equal(continuedOf(other), 'forked');
  assert.deepEqual(textsOf(other), ['Heard three']);
  await provider.close?.();
});

test('[CJ11] a branch in which another spoke last, or that was edited, is written as a session', async (t) => {
  const { codex, provider } = machine(t, says);
  const first = await hear(provider, requestOf([user('one')]));
  const edited = [user('one'), assistant('Something else'), user('two')];
  assert.equal(continuedOf(await hear(provider, requestOf(edited, noteOf(first)))), 'session');
  // The file of the first session is there and may have grown: the second gets another id.
  const again = await hear(provider, requestOf([user('a'), assistant('b'), user('c')]));
  assert.equal(continuedOf(again), 'session');
  assert.notEqual(JSON.stringify(noteOf(again)).includes('"thread":"written"'), true);
  assert.ok(codex.methods.includes('config/read'));
  await provider.close?.();
});

test('[CJ12] a question about a command carries its exact words and its rule, and the decision reaches Codex', async (t) => {
  const replies: PlainObject[] = [];
  const { provider } = machine(t, async (turn) => {
    for (const call of ['yes', 'no', 'always']) {
      turn.item({
        type: 'function_call',
        id: `fc-${call}`,
        name: 'exec_command',
        arguments: '{"cmd":"touch x"}',
        call_id: call,
      });
      const reply = await turn.ask('item/commandExecution/requestApproval', {
        itemId: call,
        command: "/bin/bash -lc 'touch x'",
        reason: 'May I?',
        proposedExecpolicyAmendment: ['touch', 'x'],
      });
      replies.push(reply);
      const output = reply.decision === 'decline' ? 'exec_command failed: rejected by user' : 'done';
      turn.item({ type: 'function_call_output', id: `fco-${call}`, call_id: call, output });
    }
    turn.say('m', 'Finished');
    turn.end();
  });
  const heard = await hear(provider, requestOf([user('go')]), {
    decide: (call) => {
      const by = 'person';
      if (call === 'no') return { decision: 'denied', by };
      return call === 'always' ? { decision: 'approved', by, scope: 'anywhere' } : { decision: 'approved', by };
    },
  });
  assert.deepEqual(replies, [
    { decision: 'accept' },
    { decision: 'decline' },
    { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch', 'x'] } } },
  ]);
  const [[call, ask] = ['', undefined]] = heard.asks;
  assert.equal(call, 'yes');
  assert.deepEqual(ask?.preview, [
    { type: 'command', command: "/bin/bash -lc 'touch x'" },
    { type: 'text', text: 'May I?' },
  ]);
  assert.equal(ask?.rules?.[0]?.command, 'touch x');
  // Codex's own words about a denied call would say the same again.
  assert.deepEqual(textsOf(heard), ['done', 'done', 'Finished']);
  await provider.close?.();
});

test('[CJ12] a question of an MCP server is put to a person under the call that runs; a form is declined', async (t) => {
  const replies: PlainObject[] = [];
  const { provider } = machine(t, async (turn) => {
    turn.item({ type: 'function_call', id: 'fc', name: 'lookup', arguments: '{}', call_id: 'c' });
    const method = 'mcpServer/elicitation/request';
    replies.push(
      await turn.ask(method, { serverName: 'notes', message: 'May I?', requestedSchema: { type: 'object' } }),
    );
    const form = { type: 'object', required: ['name'] };
    replies.push(await turn.ask(method, { serverName: 'notes', message: 'Who?', requestedSchema: form }));
    turn.item({ type: 'function_call_output', id: 'fco', call_id: 'c', output: 'found' });
    turn.say('m', 'Done');
    turn.end();
  });
  const heard = await hear(provider, requestOf([user('go')]));
  assert.deepEqual(
    replies.map(({ action }) => action),
    ['accept', 'decline'],
  );
  assert.deepEqual(
    heard.asks.map(([call]) => call),
    ['c'],
  );
  await provider.close?.();
});

test('[CJ13] a program that is missing, not logged in, or gone is told with what to do', async (t) => {
  const { codex, provider } = machine(t, () => {});
  const errorOf = ({ events }: Heard): string => {
    const last = events.at(-1);
    return last?.type === 'call-error' ? `${last.error.code}: ${last.error.message}` : String(last?.type);
  };
  codex.isInstalled = false;
  assert.match(errorOf(await hear(provider, requestOf([user('a')]))), /npm install -g @openai\/codex/);
  assert.equal((await provider.offers?.())?.state.type, 'missing');
  codex.isInstalled = true;
  codex.isLoggedIn = false;
  assert.match(errorOf(await hear(provider, requestOf([user('a')]))), /^auth: .*codex login/);
  await provider.close?.();
});

test('[CJ13] a turn that fails says why, and a failure of its own kind is told by its code', async (t) => {
  const { provider } = machine(t, (turn) =>
    turn.end('failed', { message: 'Too long.', codexErrorInfo: 'contextWindowExceeded' }),
  );
  const last = (await hear(provider, requestOf([user('a')]))).events.at(-1);
  assert.ok(last?.type === 'call-error');
  assert.equal(last.error.code, 'too-long');
  await provider.close?.();
});

test('[CJ14] a turn that is stopped is interrupted, and its process is not used again', async (t) => {
  const { codex, provider } = machine(t, (turn) => turn.say('m', 'Beginning'));
  const stopping = new AbortController();
  const heard = await hear(provider, requestOf([user('a')]), {
    signal: stopping.signal,
    on: (event) => event.type === 'block' && stopping.abort(),
  });
  assert.ok(codex.methods.includes('turn/interrupt'));
  assert.equal(heard.events.at(-1)?.type, 'call-end');
  await hear(provider, requestOf([user('a')]), { signal: AbortSignal.abort() });
  assert.equal(codex.starts, 2);
  await provider.close?.();
});

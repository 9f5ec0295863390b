import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import {
  assistant,
  continuedOf,
  hear,
  machine,
  noteOf,
  requestOf,
  says,
  textsOf,
  user,
} from './testing/heard-provider.ts';
import type { Heard } from './testing/heard-provider.ts';

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

test('[CJ16] the command that goes on in a terminal names the thread whose last turn the branch ends with', async (t) => {
  const { codex, provider } = machine(t, says);
  const first = await hear(provider, requestOf([user('one')]));
  const ask = async (request: ProviderRequest): Promise<string> =>
    JSON.stringify(await provider.terminalCommand?.(request));
  const request = requestOf([user('one'), assistant('Heard one')], noteOf(first));
  assert.match(await ask(request), /"words":\["codex","resume","00000000-0000-4000-8000-000000000001"\]/);
  codex.writeLine('00000000-0000-4000-8000-000000000001', 'event_msg', { type: 'task_complete', turn_id: 'elsewhere' });
  assert.match(await ask(request), /has gone on behind this message/);
  assert.match(await ask(requestOf([user('one')])), /Codex did not speak last/);
  await provider.close?.();
});

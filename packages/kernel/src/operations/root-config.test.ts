import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RootConfig } from '../op.ts';
import type { Outcome } from '../refusal.ts';
import { createWorld } from '../testing/world.ts';
import type { Caller } from './operation.ts';

let requests = 0;

function by(): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}` };
}

function refusalOf(outcome: Outcome<unknown>): unknown {
  return outcome.ok ? assert.fail('was not refused') : outcome.refusal;
}

const known = [
  'systemPrompt',
  'directory',
  'tools',
  'approval_mode',
  'origin',
  'provider_tools',
  'instructions',
  'agent_prompt',
  'sender',
  'question',
  'custom',
];

test('[OP62] a misspelled key of a config is refused with the key that was meant, and nothing is created', async () => {
  const { engine, root } = await createWorld();
  const before = await engine.forest.roots();
  for (const [key, meant] of [
    ['systemPromt', 'systemPrompt'],
    ['system_prompt', 'systemPrompt'],
    ['Tools', 'tools'],
    ['approvalMode', 'approval_mode'],
    ['dir', 'directory'],
  ] as const) {
    const next = { type: 'choose', ids: [meant] };
    const refusal = { reason: 'unknown-config-key', key, nearest: [meant], known, next };
    const config = { systemPrompt: 'Be brief.', [key]: 'x' };
    assert.deepEqual(refusalOf(await engine.call('root.create', by(), { config })), refusal);
    assert.deepEqual(refusalOf(await engine.call('root.find_or_create', by(), { config })), refusal);
    assert.deepEqual(refusalOf(await engine.call('root.configure', by(), { root, config })), refusal);
  }
  const own = refusalOf(await engine.call('root.create', by(), { config: { theme: 'dark' } }));
  assert.deepEqual(own, { reason: 'unknown-config-key', key: 'theme', nearest: [], known });
  assert.deepEqual(await engine.forest.roots(), before);
  assert.deepEqual((await engine.forest.log(root).state()).config, { systemPrompt: 'Be brief.' });
});

test('[OP62] a mistyped value of a known key is refused with its place, and own keys live under custom', async () => {
  const { engine, root } = await createWorld();
  for (const [key, value] of [
    ['systemPrompt', 5],
    ['directory', ['/home']],
    ['tools', 'shell'],
    ['approval_mode', 'yolo'],
    ['origin', { source: 'claude-code' }],
    ['sender', 1],
    ['custom', 'dark'],
  ] as const) {
    for (const name of ['root.create', 'root.find_or_create', 'root.configure']) {
      const params = { ...(name === 'root.configure' ? { root } : {}), config: { [key]: value } };
      const refusal = refusalOf(await engine.call(name, by(), params));
      assert.partialDeepStrictEqual(refusal, { reason: 'invalid-params' });
      assert.match(JSON.stringify(refusal), new RegExp(`"path":\\["config","${key}"`, 'u'), name);
    }
  }
  const custom = { theme: 'dark', nested: { systemPromt: 1 } };
  const created = await engine.call('root.create', by(), { config: { custom } });
  assert.deepEqual(created.ok && (await engine.forest.log(created.value.root).state()).config, { custom });
});

test('[OP63] a stored config keeps the keys that Loom does not know through edits; they can be found and removed', async () => {
  const { engine } = await createWorld();
  const stored: RootConfig = { systemPrompt: 'Hi.', model: 'gpt-4o', tools: 'all', mood: null };
  const old = await engine.forest.getOrCreateRoot({ agent: 'person', id: 'old' }, stored);
  const { root } = old.ok ? old.value : assert.fail();
  const config = async () => {
    const got = await engine.call('root.get', by(), { root });
    return got.ok ? got.value.config : assert.fail();
  };
  assert.deepEqual(await config(), stored);
  const found = await engine.call('root.find_or_create', by(), {
    config: { systemPrompt: 'Hi.', model: 'gpt-4o', mood: null },
  });
  assert.partialDeepStrictEqual(refusalOf(found), { key: 'model' }, 'another config is not the stored one');
  const other: RootConfig = { systemPrompt: 'Hi.', model: 'gpt-4o' };
  const legacy = await engine.forest.getOrCreateRoot({ agent: 'person', id: 'legacy' }, other);
  assert.deepEqual(await engine.call('root.find_or_create', by(), { config: other }), legacy);

  const change = (changes: RootConfig) => engine.call('root.configure', by(), { root, config: changes });
  assert.ok((await change({ systemPrompt: 'Be brief.', model: 'gpt-4o' })).ok, 'a key that stays as it is may be sent');
  assert.deepEqual(await config(), { ...stored, systemPrompt: 'Be brief.' });
  assert.partialDeepStrictEqual(refusalOf(await change({ model: 'gpt-5' })), { reason: 'unknown-config-key' });
  assert.partialDeepStrictEqual(refusalOf(await change({ never: null })), { reason: 'unknown-config-key' });
  assert.ok((await change({ model: null })).ok);
  assert.deepEqual(await config(), { systemPrompt: 'Be brief.', tools: 'all', mood: null });
});

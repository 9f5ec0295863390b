import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import type { EngineOptions, Provider, ProviderRequest } from '@loom/kernel';
import { call, say } from '../testing/scripted-provider.ts';
import { createWorld, echoTool, testHash } from '../testing/world.ts';

const throwing = (): never => assert.fail('no idea');
const uncounted: Record<string, { options: Partial<EngineOptions>; says: RegExp }> = {
  'a catalogue that throws': {
    options: { catalogue: { capsOf: throwing } },
    says: /^The catalogue for scripted\/one failed: no idea/,
  },
  'a search for a tokenizer that throws': {
    options: { tokenizer: throwing },
    says: /^The tokenizer for scripted\/one failed: no idea/,
  },
  'a tokenizer that throws': {
    options: { tokenizer: () => ({ count: throwing }) },
    says: /^The tokenizer for scripted\/one failed: no idea/,
  },
  'a tokenizer that counts no number': {
    options: { tokenizer: () => ({ count: () => Number.NaN }) },
    says: /^The catalogue or the tokenizer for scripted\/one .*estimatedInput must be a number/,
  },
};

for (const [name, { options, says }] of Object.entries(uncounted)) {
  test(`[TU21] ${name} ends its turn with an error that names it`, async () => {
    const world = await createWorld([say('never said')]);
    const question = await world.say('hello');
    const { clock, ids, store, provider } = world;
    const own = { clock, ids, store, hash: testHash, providers: [provider], tools: [], holder: 'other' };
    const engine = new LoomEngine({ ...own, ...options });
    const request = { agent: 'person', id: ids.next() };
    const started = await engine.turns.generate(request, world.root, {
      node: question,
      provider: 'scripted',
      model: 'one',
    });
    assert.ok(started.ok);
    assert.equal(await engine.turns.wait(started.value.turns[0] ?? ''), 'error');
    const nodes = [...(await engine.forest.log(world.root).state()).nodes.values()];
    assert.match(wordsOf(nodes.at(-1)?.blocks.at(-1)), says);
    await engine.close();
  });
}

test('[TU21] what a provider does to its request changes nothing in the log', async () => {
  const world = await createWorld([], [echoTool('clock')]);
  const heard: ProviderRequest[] = [];
  const { clock, ids, store } = world;
  const spoiling: Provider = {
    id: 'spoiling',
    async *stream(request) {
      heard.push(structuredClone(request));
      for (const { content } of request.messages) {
        for (const block of content) if (block.type === 'tool-use') block.parameters['spoilt'] = true;
      }
      for (const { parameters } of request.tools) Object.assign(parameters, { spoilt: true });
      Object.assign(request.settings['nested'] ?? {}, { spoilt: true });
      yield* heard.length < 3 ? call([`${heard.length}`, 'clock', '{"at":{"noon":true}}']) : say('done');
    },
  };
  const own = { clock, ids, store, hash: testHash, providers: [spoiling], tools: [echoTool('clock')], holder: 'other' };
  const engine = new LoomEngine(own);
  const node = await world.say('hello');
  const settings = { nested: { own: true } };
  const choice = { node, provider: 'spoiling', model: 'one', tools: ['clock'], settings };
  const started = await engine.turns.generate({ agent: 'person', id: ids.next() }, world.root, choice);
  assert.ok(started.ok);
  assert.equal(await engine.turns.wait(started.value.turns[0] ?? ''), 'done');
  assert.equal(heard.length, 3);
  assert.doesNotMatch(JSON.stringify(heard), /spoilt/);
  await engine.close();
});

function wordsOf(block: MessageBlock | undefined): string {
  return block?.type === 'error' ? block.message : '';
}

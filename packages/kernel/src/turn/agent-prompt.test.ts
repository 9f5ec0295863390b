import assert from 'node:assert/strict';
import { test } from 'node:test';
import { say } from '../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../testing/world.ts';

type World = Awaited<ReturnType<typeof createWorld>>;

/** A process over a world's store whose folders have prompts that count how often they were composed. */
async function prompted(
  scripts = 4,
): Promise<{ world: World; asked: string[]; turn: (tools?: string[]) => Promise<string> }> {
  const world = await createWorld(
    Array.from({ length: scripts }, () => say('fine')),
    [echoTool('read')],
  );
  const asked: string[] = [];
  const compose = async ({ directory, instructions }: { directory: string; instructions: boolean }) => {
    asked.push(directory);
    return directory === '/gone' ? undefined : `In ${directory}${instructions ? ', as told' : ''}: ${asked.length}`;
  };
  const engine = world.another({ agentPrompts: { compose }, exclusive: true });
  const turn = async (tools = ['read']) => {
    const node = await world.say('go');
    const params = { node, provider: 'scripted', model: 'one', tools };
    const outcome = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
    assert.ok(outcome.ok);
    await engine.turns.wait(outcome.value.turns[0] ?? '');
    return world.provider.requests.at(-1)?.systemPrompt ?? '';
  };
  return { world, asked, turn };
}

const configure = async ({ engine, ids, root }: World, config: object) => {
  const caller = { agent: 'ann', type: 'person', role: 'owner', door: 'library', id: ids.next() } as const;
  const outcome = await engine.call('root.configure', caller, { root, config: { ...config } });
  assert.ok(outcome.ok);
};

test('[TU134] the first turn with tools in a folder takes its prompt, and later turns are shown the same', async () => {
  const { world, asked, turn } = await prompted();
  assert.equal(await turn(), 'Be brief.', 'without a folder nothing is added');
  await configure(world, { directory: '/work' });
  assert.equal(await turn([]), 'Be brief.', 'without tools neither');
  assert.equal(await turn(), 'In /work, as told: 1\n\nBe brief.');
  assert.equal(await turn(), 'In /work, as told: 1\n\nBe brief.');
  assert.deepEqual(asked, ['/work']);
});

test('[TU135] another folder or switch takes another prompt, and none is shown where there is no folder', async () => {
  const { world, asked, turn } = await prompted(6);
  await configure(world, { directory: '/work' });
  assert.equal(await turn(), 'In /work, as told: 1\n\nBe brief.');
  await configure(world, { instructions: false });
  assert.equal(await turn(), 'In /work: 2\n\nBe brief.');
  await configure(world, { directory: '/gone' });
  assert.equal(await turn(), 'Be brief.', 'a folder that is not there has none');
  await configure(world, { directory: null });
  assert.equal(await turn(), 'Be brief.');
  await configure(world, { directory: '/work', systemPrompt: null });
  assert.equal(await turn(), 'In /work: 2', 'the one that was taken for it is still known');
  await configure(world, { agent_prompt: null });
  assert.equal(await turn(), 'In /work: 4');
  assert.deepEqual(asked, ['/work', '/work', '/gone', '/work']);
});

test('[TU136] the tools of providers that a conversation uses are settings of its turns', async () => {
  const { world, turn } = await prompted(3);
  await configure(world, { provider_tools: ['web_search'] });
  await turn();
  assert.deepEqual(world.provider.requests.at(-1)?.settings, { providerTools: ['web_search'] });
  const node = await world.say('again');
  const params = { node, provider: 'scripted', model: 'one', settings: { providerTools: [] } };
  const outcome = await world.engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
  assert.ok(outcome.ok);
  await world.engine.turns.wait(outcome.value.turns[0] ?? '');
  assert.deepEqual(world.provider.requests.at(-1)?.settings, { providerTools: [] });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../../testing/world.ts';

test('[TU4] a call of a tool that the turn was not given is told why, and which tools there are', async () => {
  const tools = [
    { ...echoTool('open'), family: 'other' as const },
    { ...echoTool('patch'), family: 'gpt' as const },
    { ...echoTool('build'), needsFolder: true },
  ];
  const world = await createWorld([call(['1', 'patch', '{}'], ['2', 'build', '{}']), say('oh')], tools);
  const turn = await world.answer(await world.say('go'), { tools: ['open'] });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const those = 'The tools of this turn are: open.';
  assert.deepEqual(
    (await world.nodes()).flatMap(({ role, blocks: [block] }) =>
      role === 'tool' && block?.type === 'text' ? [block.text] : [],
    ),
    [
      `The tool patch is not offered here: it is for other models, which have no better tool for this. ${those}`,
      `The tool build is not offered here: it works in a folder, and the conversation has none. ${those}`,
    ],
  );
  assert.deepEqual(world.ran, []);
});

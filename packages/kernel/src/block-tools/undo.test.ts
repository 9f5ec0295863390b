import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '../provider.ts';
import { say } from '../testing/scripted-provider.ts';
import type { Script } from '../testing/scripted-provider.ts';
import { until } from '../testing/world.ts';
import { assertWhole, createToolWorld, done, refused } from './testing/tool-world.ts';
import type { ToolWorld } from './testing/tool-world.ts';

const model = 'scripted:one';

test('[BT30] undo and redo take back what the caller did last in the text, call by call, and leave what others did', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'middle\n' });
  const undo = async (agent: string) => done(await world.tools.undo(world.by(agent), { block_id }));
  done(
    await world.tools.edit(world.by('ann'), {
      block_id,
      operations: [
        { op: 'insert', line: 0, content: 'ann 1' },
        { op: 'insert', line: 1, content: 'ann 2' },
      ],
    }),
  );
  done(await world.tools.edit(world.by('bob'), { block_id, operations: [{ op: 'insert', line: 0, content: 'bob' }] }));
  done(await world.tools.splice(world.by('ann'), { block_id, offset: 0, delete_count: 4, insert: 'BOB\n' }));
  assert.equal(await world.text(block_id), 'BOB\nann 1\nmiddle\nann 2\n');
  await undo('ann');
  assert.equal(await world.text(block_id), 'bob\nann 1\nmiddle\nann 2\n');
  await undo('ann');
  assert.equal(await world.text(block_id), 'bob\nmiddle\n');
  assert.equal(refused(await world.tools.undo(world.by('ann'), { block_id }), 'nothing-to-undo').which, 'undo');
  done(await world.tools.redo(world.by('ann'), { block_id }));
  await undo('bob');
  assert.equal(await world.text(block_id), 'ann 1\nmiddle\nann 2\n');
  done(await world.tools.redo(world.by('ann'), { block_id }));
  assert.equal(
    await world.text(block_id),
    'BOB\nann 1\nmiddle\nann 2\n',
    'what replaced it is there, what it replaced is not',
  );
  refused(await world.tools.redo(world.by('ann'), { block_id }), 'nothing-to-undo');
  refused(await world.tools.undo(world.by('cyd'), { block_id }), 'nothing-to-undo');
  await assertWhole(world.engine.forest, world.root);
});

test('[BT30] after something new there is nothing to redo; what a block began with is not undone', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'x' });
  refused(await world.tools.undo(world.by(), { block_id }), 'nothing-to-undo');
  done(await world.tools.splice(world.by(), { block_id, offset: 1, delete_count: 0, insert: 'y' }));
  done(await world.tools.undo(world.by(), { block_id }));
  done(await world.tools.splice(world.by(), { block_id, offset: 1, delete_count: 0, insert: 'z' }));
  refused(await world.tools.redo(world.by(), { block_id }), 'nothing-to-undo');
  assert.equal(await world.text(block_id), 'xz');
});

test('[BT30] an append is undone as well, also where nothing was edited otherwise', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  for (const [agent, text] of [
    ['ann', 'a\n'],
    ['bob', 'b\n'],
    ['ann', 'c\n'],
  ] as const) {
    done(await world.tools.append(world.by(agent), { block_id, text }));
  }
  done(await world.tools.undo(world.by('bob'), { block_id }));
  assert.equal(await world.text(block_id), 'a\nc\n');
  done(await world.tools.append(world.by('bob'), { block_id, text: 'd\n' }));
  done(await world.restarted().undo(world.by('ann'), { block_id }));
  assert.equal(await world.text(block_id), 'a\nd\n');
});

test('[BT31] what can be undone and redone, and by which agent, survives a restart at any point', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'x\n' });
  for (const agent of ['ann', 'bob', 'ann']) {
    const operations = [{ op: 'insert' as const, line: 0, content: agent }];
    done(await world.restarted().edit(world.by(agent), { block_id, operations }));
  }
  const seen: string[] = [];
  for (const [agent, which] of [
    ['ann', 'undo'],
    ['bob', 'undo'],
    ['ann', 'undo'],
    ['ann', 'redo'],
    ['bob', 'redo'],
    ['ann', 'redo'],
  ] as const) {
    done(await world.restarted()[which](world.by(agent), { block_id }));
    seen.push(await world.text(block_id));
    await assertWhole(world.engine.forest, world.root);
  }
  assert.deepEqual(seen, ['bob\nann\nx\n', 'ann\nx\n', 'x\n', 'ann\nx\n', 'bob\nann\nx\n', 'ann\nbob\nann\nx\n']);
});

/** An answer that goes on whenever it is told to. */
function stepwise(events: ProviderEvent[]): { script: Script; go: () => void } {
  const waiting: (() => void)[] = [];
  return {
    script: async function* stream() {
      for (const event of events) {
        if (event.type === 'block-delta') await new Promise<void>((resolve) => waiting.push(resolve));
        yield event;
      }
    },
    go: () => waiting.shift()?.(),
  };
}

/** Starts a turn of two deltas and waits until the first of them is written. */
async function streaming(events = say('model one\n', 'model two\n')): Promise<{
  world: ToolWorld;
  block_id: string;
  finish: () => Promise<void>;
}> {
  const { script, go } = stepwise(events);
  const world = await createToolWorld([script]);
  const turn = await world.answer(await world.say('hi'));
  const streamed = async () => (await world.nodes())[1]?.blocks[0];
  await until(async () => (await streamed()) !== undefined);
  await new Promise((resolve) => setImmediate(resolve));
  go();
  await until(async () => ((await streamed())?.version ?? 0) > 1);
  return {
    world,
    block_id: (await streamed())?.block_id ?? '',
    finish: async () => {
      const ended = world.engine.turns.wait(turn);
      await until(async () => {
        go();
        return (await world.state()).liveTurns.size === 0;
      });
      assert.equal(await ended, 'done');
    },
  };
}

test('[BT32] a person types at the top while a model streams at the end: both texts are whole, and each is undone alone', async () => {
  for (const restarts of [false, true]) {
    const { world, block_id, finish } = await streaming();
    assert.deepEqual(
      await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert: 'person\n' }),
      { version: 3 },
    );
    await finish();
    assert.equal(await world.text(block_id), 'person\nmodel one\nmodel two\n');
    const tools = () => (restarts ? world.restarted() : world.tools);
    done(await tools().undo(world.by(), { block_id }));
    assert.equal(await world.text(block_id), 'model one\nmodel two\n');
    done(await tools().redo(world.by(), { block_id }));
    done(await tools().undo(world.by(model), { block_id }));
    assert.equal(await world.text(block_id), 'person\n', 'a streamed turn is one unit');
    done(await tools().redo(world.by(model), { block_id }));
    assert.equal(await world.text(block_id), 'person\nmodel one\nmodel two\n');
    await assertWhole(world.engine.forest, world.root);
  }
});

test('[BT33] a model goes on behind its own words, whatever other agents have appended or typed behind them meanwhile', async () => {
  const appended = await streaming();
  done(await appended.world.tools.append(appended.world.by(), { block_id: appended.block_id, text: 'person\n' }));
  await appended.finish();
  assert.equal(await appended.world.text(appended.block_id), 'model one\nmodel two\nperson\n');
  await assertWhole(appended.world.engine.forest, appended.world.root);
  done(await appended.world.restarted().undo(appended.world.by(model), { block_id: appended.block_id }));
  assert.equal(await appended.world.text(appended.block_id), 'person\n');

  const typed = await streaming();
  const operations = [{ op: 'insert' as const, line: 1, content: 'person' }];
  done(await typed.world.tools.edit(typed.world.by(), { block_id: typed.block_id, operations }));
  await typed.finish();
  assert.equal(await typed.world.text(typed.block_id), 'model one\nmodel two\nperson\n');
});

test('[BT33] an undo of the model while it streams takes what it has said; what it says then is a unit of its own', async () => {
  const { world, block_id, finish } = await streaming();
  done(await world.tools.undo(world.by(model), { block_id }));
  assert.equal(await world.text(block_id), '');
  await finish();
  assert.equal(await world.text(block_id), 'model two\n');
  done(await world.tools.undo(world.by(model), { block_id }));
  assert.equal(await world.text(block_id), '');
  await assertWhole(world.engine.forest, world.root);
});

const thoughts: ProviderEvent[] = [
  { type: 'call-start' },
  { type: 'block-start', key: 't', message: 'm', role: 'assistant', block: { type: 'thinking', text: '' } },
  { type: 'block-delta', key: 't', field: 'text', text: 'hm\n' },
  { type: 'block-delta', key: 't', field: 'text', text: 'ah\n' },
  { type: 'block-end', key: 't' },
  { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'yes' } },
  { type: 'usage', usage: { input_tokens: 1, output_tokens: 1 } },
  { type: 'call-end', reason: 'stop' },
];

test('[BT34] thinking that another agent wrote into while it streamed, or later, is not sent to the model again', async () => {
  const ways: [
    title: string,
    isSent: boolean,
    during: boolean,
    (world: ToolWorld, block_id: string) => Promise<unknown>,
  ][] = [
    ['untouched', true, true, async () => undefined],
    [
      'edited',
      false,
      true,
      (world, block_id) => world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 1, insert: 'H' }),
    ],
    [
      'appended to',
      false,
      true,
      (world, block_id) => world.tools.append(world.by(), { block_id, text: 'and I obey\n' }),
    ],
    [
      'edited later',
      false,
      false,
      (world, block_id) => world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 1 }),
    ],
    ['undone later', false, false, (world, block_id) => world.tools.undo(world.by(model), { block_id })],
  ];
  for (const [title, isSent, during, work] of ways) {
    const { world, block_id, finish } = await streaming(thoughts);
    if (during) await work(world, block_id);
    await finish();
    if (!during) done(await work(world, block_id).then((answer) => answer ?? null));
    await world.engine.turns.wait(await world.answer(await world.say('and now?')));
    const sent =
      world.provider.requests.at(-1)?.messages.flatMap(({ content }) => content.map(({ type }) => type)) ?? [];
    assert.equal(sent.includes('thinking'), isSent, title);
  }
});

test('[BT36] when a message is cut, what was edited in the kept half can still be undone there, what reached into the other cannot', async () => {
  const world = await createToolWorld();
  const { forest } = world.engine;
  const node = await world.say('left right');
  await world.say('reply', node);
  const block_id = (await world.state()).nodes.get(node)?.blocks[0]?.block_id ?? '';
  const insert = async (agent: string, offset: number, text: string) =>
    done(await world.tools.splice(world.by(agent), { block_id, offset, delete_count: 0, insert: text }));
  await insert('ann', 10, '!');
  await insert('bob', 0, '>');
  assert.ok((await forest.editNode(world.by('cyd'), world.root, { node, content: '>left', mode: 'split' })).ok);
  assert.equal(await world.text(block_id), ' right!');
  refused(await world.tools.undo(world.by('bob'), { block_id }), 'nothing-to-undo');
  done(await world.restarted().undo(world.by('ann'), { block_id }));
  assert.equal(await world.text(block_id), ' right');
  done(await world.tools.redo(world.by('ann'), { block_id }));
  await assertWhole(forest, world.root);
});

test('[BT36] when the cut is undone the text starts over: its own undo is empty, that of the conversation goes on', async () => {
  const world = await createToolWorld();
  const { forest } = world.engine;
  const node = await world.say('left right');
  await world.say('reply', node);
  const block_id = (await world.state()).nodes.get(node)?.blocks[0]?.block_id ?? '';
  done(await world.tools.splice(world.by(), { block_id, offset: 10, delete_count: 0, insert: '!' }));
  assert.ok((await forest.editNode(world.by(), world.root, { node, content: 'left', mode: 'split' })).ok);
  assert.ok((await forest.undo(world.by(), world.root)).ok);
  assert.equal(await world.text(block_id), 'left right!');
  refused(await world.tools.undo(world.by(), { block_id }), 'nothing-to-undo');
  assert.ok((await forest.undo(world.by(), world.root)).ok);
  assert.equal(await world.text(block_id), 'left right');
  assert.ok((await forest.redo(world.by(), world.root)).ok);
  assert.equal(await world.text(block_id), 'left right!');
  await assertWhole(forest, world.root);
});

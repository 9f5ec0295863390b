import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWhole, createToolWorld, done, refused } from './testing/tool-world.ts';
import type { ToolWorld } from './testing/tool-world.ts';

const model = 'demo:one';

/** Replaces a line of a text; returns the version that this made. */
async function replaceLine(world: ToolWorld, agent: string, block_id: string, line: number, content: string) {
  const replace = { op: 'replace' as const, start_line: line, end_line: line + 1, content };
  return done(await world.tools.edit(world.by(agent), { block_id, operations: [replace] })).version;
}

async function states(world: ToolWorld, block_id: string) {
  const rows = done(await world.tools.history({ block_id, edits: true }));
  return rows.map(({ version, agent, edit }) => `${version} ${agent} ${edit ?? '-'}`);
}

test('[BT190] the edit that made a version is undone and redone alone, whoever made it', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'one\ntwo\nthree\n' });
  const first = await replaceLine(world, model, block_id, 0, 'ONE');
  const second = await replaceLine(world, model, block_id, 1, 'TWO');
  await replaceLine(world, 'ann', block_id, 2, 'THREE');
  done(await world.tools.undo(world.by('ann'), { block_id, version: first }));
  assert.equal(await world.text(block_id), 'one\nTWO\nTHREE\n');
  refused(await world.tools.undo(world.by('ann'), { block_id, version: first }), 'nothing-to-undo');
  refused(await world.tools.redo(world.by('ann'), { block_id, version: second }), 'nothing-to-undo');
  done(await world.tools.redo(world.by('ann'), { block_id, version: first }));
  assert.equal(await world.text(block_id), 'ONE\nTWO\nTHREE\n');
  await assertWhole(world.engine.forest, world.root);
});

test('[BT190] a version that no edit made, or that there is not, is refused with its number', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'one\n' });
  const undo = (version: number) => world.tools.undo(world.by('ann'), { block_id, version });
  const made = await replaceLine(world, model, block_id, 0, 'ONE');
  const undone = done(await undo(made)).version;
  assert.equal(refused(await undo(undone), 'nothing-to-undo').version, undone);
  assert.equal(refused(await undo(1), 'nothing-to-undo').version, 1);
  refused(await undo(made + 40), 'version-not-found');
  assert.equal(await world.text(block_id), 'one\n');
});

test('[BT190] a model may name edits of its own alone', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'one\ntwo\n' });
  const byAnn = await replaceLine(world, 'ann', block_id, 0, 'ONE');
  const own = await replaceLine(world, model, block_id, 1, 'TWO');
  const answer = await world.call('block.undo', { block_id, version: byAnn }, model);
  assert.equal(refused(answer, 'not-permitted').needs, 'person');
  await world.call('block.undo', { block_id, version: own }, model);
  assert.equal(await world.text(block_id), 'ONE\ntwo\n');
});

test('[BT191] with edits, a history says of each edit whether it is in effect and can be undone, also after a restart', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'one\ntwo\n' });
  const first = await replaceLine(world, model, block_id, 0, 'ONE');
  await replaceLine(world, 'ann', block_id, 1, 'TWO');
  done(await world.tools.undo(world.by('ann'), { block_id, version: first }));
  const before = await states(world, block_id);
  assert.deepEqual(before, ['1 ann -', '2 demo:one undone', '3 ann done', '4 ann -']);
  // Its new edit leaves what was undone undone for good.
  await replaceLine(world, model, block_id, 0, 'Uno');
  const after = ['1 ann -', '2 demo:one gone', '3 ann done', '4 ann -', '5 demo:one done'];
  assert.deepEqual(await states(world, block_id), after);
  refused(await world.tools.redo(world.by('ann'), { block_id, version: first }), 'nothing-to-undo');
  const rows = done(await world.restarted().history({ block_id, edits: true, before: 4, limit: 2 }));
  assert.deepEqual(
    rows.map(({ version, edit }) => [version, edit]),
    [
      [2, 'gone'],
      [3, 'done'],
    ],
  );
  assert.ok(done(await world.tools.history({ block_id })).every(({ edit }) => edit === undefined));
});

test('[BT191] the edits of a text that was replaced since have no state', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'one\n' });
  const made = await replaceLine(world, 'ann', block_id, 0, 'ONE');
  const block = { type: 'text' as const, text: 'another text' };
  const outcome = await world.engine.forest.editBlock(world.by('ann'), world.root, { block: block_id, content: block });
  assert.ok(outcome.ok);
  assert.deepEqual(await states(world, block_id), ['1 ann -', `${made} ann -`, '3 ann -']);
  refused(await world.tools.undo(world.by('ann'), { block_id, version: made }), 'nothing-to-undo');
});

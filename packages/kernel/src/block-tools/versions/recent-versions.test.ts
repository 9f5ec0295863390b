import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passOn } from '../../store.ts';
import { createToolWorld, done, toolsOver } from '../testing/tool-world.ts';

test('[BT49] the newest versions are found without reading the log from its beginning', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'text' });
  for (let version = 2; version <= 400; version += 1) {
    done(await world.tools.splice(world.by(), { block_id, offset: version % 5, delete_count: 0, insert: 'x' }));
  }
  // Opens the conversation, so that only what the history reads is counted.
  const store = passOn(world.store);
  const tools = toolsOver(world.another({ store }).forest, world.ids);
  await tools.read({ block_id });
  let records = 0;
  store.read = async (...asked) => {
    const contents = await world.store.read(...asked);
    records += contents?.records.length ?? 0;
    return contents;
  };
  const shown = done(await tools.history({ block_id, limit: 3 }));
  assert.deepEqual(
    shown.map(({ version, what, status, inserted }) => [version, what, status, inserted]),
    [398, 399, 400].map((version) => [version, ['text'], 'done', 1]),
  );
  assert.ok(records > 0 && records <= 16, `${records} records were read`);
  assert.equal(done(await tools.history({ block_id, limit: 400 })).length, 400);
});

test('[BT49] a log is read in pieces, however far a caller looks back', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const log = world.engine.forest.log(world.root);
  for (let version = 2; version <= 1100; version += 1) {
    done(await world.tools.append(world.by(), { block_id, text: 'x' }));
  }
  const store = passOn(world.store);
  const most: number[] = [];
  store.read = async (...asked) => {
    const contents = await world.store.read(...asked);
    most.push(contents?.records.length ?? 0);
    return contents;
  };
  const another = world.another({ store }).forest.log(world.root);
  let last = 0;
  await another.past.walk(({ seq }) => {
    assert.equal(seq, last + 1);
    last = seq;
    return true;
  });
  assert.equal(last, (await log.cursor()).seq);
  assert.ok(Math.max(...most) <= 1024, `${Math.max(...most)} records were read at once`);
});

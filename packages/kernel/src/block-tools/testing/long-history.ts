// A long text with many versions, and everything that looks back at them, in a thread that has room for a few dozen texts.
import assert from 'node:assert/strict';
import { SeededRandom } from './seeded-random.ts';
import { createToolWorld, done } from './tool-world.ts';

const versions = 400;
const length = 1_000_000;

const world = await createToolWorld();
const random = new SeededRandom(1);
const block_id = await world.block({ content: 'a line of forty characters, as many are\n'.repeat(length / 40) });
for (let version = 2; version <= versions; version += 1) {
  const insert = `edited by version ${version}`.padEnd(40, '.');
  done(await world.tools.splice(world.by(), { block_id, offset: random.below(length - 40), delete_count: 40, insert }));
}
const tools = world.restarted();
const whole = { block_id, line_numbers: false };
const texts = [];
for (const version of [1, versions / 2, versions]) texts.push(done(await tools.read({ ...whole, version })).content);
assert.equal(texts.at(-1), done(await tools.read(whole)).content);
assert.deepEqual(
  done(await tools.history({ block_id, limit: 3 })).map(({ version, inserted }) => [version, inserted]),
  [398, 399, 400].map((version) => [version, 40]),
);
assert.match(done(await tools.diff({ block_id, from_version: versions - 1 })).diff, /^\+.*edited by version 400/mu);
done(await tools.undo(world.by(), { block_id }));
const operations = [{ op: 'replace' as const, start_line: 0, end_line: 1, content: 'first' }];
done(await tools.edit(world.by(), { block_id, operations, base_version: versions }));
const { patches } = done(await tools.sync({ versions: [[block_id, versions - 1]] }));
assert.deepEqual(
  patches.map(({ version }) => version),
  [400, 401, 402],
);

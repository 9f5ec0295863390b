import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { ForestFolder } from '../../testing/forest-folder.ts';

test('[IN5] inspect shows what was sent and answered, --raw as it was, --json as data', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'providers.other.apiKey', 'correct-horse-battery']);
  await folder.say('the key is correct-horse-battery', '--model=demo:echo');
  const shown = await folder.succeed(['inspect', 'node-2']);
  assert.match(shown, /^node-2 · demo:echo · /);
  assert.match(shown, /\nSent:\n\{\n {2}"model": "echo",\n/);
  assert.match(shown, /\nAnswered:\n\{"type":"call-start"\}\n/);
  assert.match(shown, /the key is cor…tery/);
  assert.match(await folder.succeed(['inspect', 'node-2', '--raw']), /^\{"model":"echo",.*\n\{"type":"call-start"\}\n/);
  const told: unknown = JSON.parse(await folder.succeed(['inspect', 'node-2', '--json']));
  assert.ok(typeof told === 'object' && told !== null && 'rebuilt' in told && 'exchanges' in told);
  assert.deepEqual([told.rebuilt, Array.isArray(told.exchanges)], [false, true]);
});

test('[IN5] inspect --diff shows what is new since the call before', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('one', '--model=demo:echo');
  await folder.say('two', '--continue', '--model=demo:echo');
  const diff = await folder.succeed(['inspect', 'node-4', '--diff']);
  assert.match(diff, /^--- sent for root-\w+\/node-2\n\+\+\+ sent for root-\w+\/node-4\n@@ /);
  assert.match(diff, /\n\+ +"text": "two"\n/);
  assert.doesNotMatch(diff, /\n- +"text"/);
  const first = await folder.run(['inspect', 'node-2', '--diff']);
  assert.equal(first.code, 1);
  assert.match(first.note, /no model was called before node-2/);
  const person = await folder.run(['inspect', 'node-1']);
  assert.match(person.note, /node-1 was not written by a model.*\nIts answers: .*node-2/);
});

for (const store of STORE_KINDS) {
  test(`[IN6] ${store}: after a purge nothing of it is left in what was sent, and calls are made again from the path`, async (context) => {
    const folder = new ForestFolder(context, store);
    await folder.say('a pasted treasure', '--model=demo:echo');
    const before = await folder.succeed(['inspect', 'node-2']);
    assert.match(before, /pasted treasure/);
    await folder.succeed(['purge', 'node-1', 'node-2', '--yes']);
    const after = await folder.succeed(['inspect', 'node-2']);
    assert.match(after, /is made again from the path/);
    assert.doesNotMatch(after, /treasure/);
    const compressed = readdirSync(folder.dataDir, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(folder.dataDir, name)).isFile() && /projection-calls/.test(name),
    );
    assert.deepEqual(
      compressed.map((name) => readFileSync(join(folder.dataDir, name), 'utf8')),
      [],
    );
  });
}

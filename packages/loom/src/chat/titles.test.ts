import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';

test('[CH44] a chat has a cheap model find a title behind the first answer, once', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'defaults.titleModel', 'demo']);
  assert.deepEqual(await folder.run(['chat', '-p', 'echo one **two**']), { code: 0, out: 'one **two**\n', note: '' });
  assert.match(await folder.succeed(['ls']), / {2}About “echo one two” {2}/);
  await folder.succeed(['chat', '--continue'], { input: 'echo three\n' });
  assert.match(await folder.succeed(['tree']), /^root-\w+ {2}About “echo one/);
  const lines = await folder.succeed(['chat', '--json', '-p', 'echo more']);
  assert.match(lines, /\{"root":"[^"]+","node":"[^"]+"\}\n$/);
  assert.match(await folder.succeed(['ls']), /About “echo more”/);
});

test('[CH44] what goes wrong with a title is said on stderr, and the answer is as it was', async (context) => {
  const folder = new ForestFolder(context);
  for (const [titleModel, reason] of [
    ['demo:error', 'The demo pretends to be overloaded'],
    ['demo:nothing', 'demo has no model "nothing"'],
  ] as const) {
    await folder.succeed(['config', 'set', 'defaults.titleModel', titleModel]);
    const { code, out, note } = await folder.run(['chat', '-p', 'echo # one']);
    assert.deepEqual([code, out], [0, '# one\n']);
    assert.match(note, new RegExp(`^loom: no model has given the conversation a title: .*${reason}`));
  }
});

test('[FC10] [TU47] without a title a conversation is listed by its first words, without Markdown', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo **Please** mend the gate. Then see to the fence, to the roof and to all the rest of it.');
  assert.match(await folder.succeed(['ls']), / {2}echo Please mend the gate\. {2}/);
  assert.match(await folder.succeed(['tree']), /^root-\w+ {2}echo Please mend the gate\.\n/);
});

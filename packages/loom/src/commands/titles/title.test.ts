import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ForestFolder } from '../../testing/forest-folder.ts';

const listed = z.object({ id: z.string() });
const titled = z.object({ titled: z.number(), failed: z.array(z.object({ root: z.string() })) });

test('[LM60] title says the price first, asks the model only when it is told to, and leaves titles that are there', async (context) => {
  const folder = new ForestFolder(context);
  for (const words of ['one', 'two', 'three']) await folder.succeed(['chat', '-p', `echo ${words}`]);
  const [newest = ''] = (await folder.succeed(['ls', '--json'])).split('\n');
  const { id } = listed.parse(JSON.parse(newest));
  await folder.succeed(['call', 'root.mark', JSON.stringify({ root: id, title: 'Mine' })]);

  const without = await folder.run(['title', '--yes']);
  assert.notEqual(without.code, 0);
  assert.match(without.note, /no model is set up that could find titles for 2 conversations/u);
  await folder.succeed(['config', 'set', 'defaults.titleModel', 'demo']);
  const plan = await folder.succeed(['title', '--dry-run']);
  assert.equal(plan, '2 conversations have no title. demo/demo finds them for about $0.\n');
  const asked = await folder.run(['title']);
  assert.notEqual(asked.code, 0);
  assert.match(asked.note, /no model was asked\. 2 conversations have no title/u);
  assert.doesNotMatch(await folder.succeed(['ls']), /About/u);

  assert.match(await folder.succeed(['title', '--yes']), /^2 titles found, for \$0\.\n$/u);
  const after = await folder.succeed(['ls']);
  for (const title of [/About “echo one”/u, /About “echo two”/u, / {2}Mine {2}/u]) assert.match(after, title);
  assert.equal(await folder.succeed(['title', '--yes']), 'Every conversation has a title.\n');
});

test('[LM60] title asks the model that is named, about the conversations that are named, and says what failed', async (context) => {
  const folder = new ForestFolder(context);
  for (const words of ['one', 'two']) await folder.succeed(['chat', '-p', `echo ${words}`]);
  const [newest = ''] = (await folder.succeed(['ls', '--json'])).split('\n');
  const { id } = listed.parse(JSON.parse(newest));
  const failed = await folder.run(['title', id, '--model', 'demo:error', '--yes', '--json']);
  assert.equal(failed.code, 1);
  const report = titled.parse(JSON.parse(failed.out));
  assert.deepEqual([report.titled, report.failed.length, report.failed[0]?.root], [0, 1, id]);
  assert.match(await folder.succeed(['title', id, '-m', 'demo', '-y']), /^1 title found/u);
  assert.equal((await folder.succeed(['ls'])).match(/About/gu)?.length, 1);
});

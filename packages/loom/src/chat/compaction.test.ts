import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';

test('[CH41] /compact has the conversation summed up, and what is said next goes on from the summary', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo the beginning');
  await folder.succeed(['chat', '--continue'], { input: '/compact\necho on\n' });
  const seen = await folder.succeed(['inspect', 'node-6', '--json']);
  assert.match(seen, /Sum up our conversation/);
  assert.match(seen, /You said “echo the beginning”/);
  assert.doesNotMatch(seen, /\\"the beginning\\"/);
  assert.match(await folder.succeed(['show', 'node-6']), /## demo · node-2/);
});

test('[CH41] another model writes the summary where the settings name one; one that is not there is said', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'defaults.summaryModel', 'demo:terse']);
  await folder.say('echo the beginning');
  await folder.succeed(['chat', '--continue'], { input: '/compact\necho on\n' });
  const seen: unknown = JSON.parse(await folder.succeed(['inspect', 'node-4', '--json']));
  assert.match(JSON.stringify(seen), /"model":"terse"/);
  assert.match(await folder.succeed(['show', 'node-6']), /## demo · node-6/);
  await folder.succeed(['config', 'set', 'defaults.summaryModel', 'demo:nothing']);
  const said = await folder.run(['chat', '--continue'], { input: '/compact\necho further\n' });
  assert.match(`${said.out}${said.note}`, /demo has no model "nothing"/);
  assert.match(said.out, /further/);
});

test('[CH41] that context runs full is said before it does, done by itself where the settings say so, or not said', async (context) => {
  const folder = new ForestFolder(context);
  await setSmallWindow(folder);
  const talk = (): Promise<string> => folder.succeed(['chat'], { input: 'echo hi\n' });
  const summed = await talk();
  assert.match(summed, /so it is being summarized/, 'auto is the default');
  assert.match(summed, /Summary of what was said so far:\s+- You said “echo hi”/);
  await folder.succeed(['config', 'set', 'defaults.compact', 'ask']);
  assert.match(await talk(), /\d\d % of what demo can read is used\. \/compact summarizes it/);
  await folder.succeed(['config', 'set', 'defaults.compact', 'off']);
  assert.doesNotMatch(await talk(), /can read is used/);
});

test('[CH41] chat -p says it on stderr, or has it summed up behind the answer, which stands on stdout alone', async (context) => {
  const folder = new ForestFolder(context);
  await setSmallWindow(folder);
  const ask = (): ReturnType<ForestFolder['run']> => folder.run(['chat', '-p', 'echo hi']);
  const { out, note } = await ask();
  assert.equal(out, 'hi\n');
  assert.match(note, /so it is being summarized\. Nothing is lost\./);
  assert.match(await folder.succeed(['tree']), /Sum up our conversation/);
  await folder.succeed(['config', 'set', 'defaults.compact', 'ask']);
  assert.match((await ask()).note, /\d\d % of what demo can read is used\. \/compact in .*chat --continue/);
  await folder.succeed(['config', 'set', 'defaults.compact', 'off']);
  assert.doesNotMatch((await ask()).note, /can read is used/);
});

/** The demo's tools alone take most of it; short answers leave room for one. */
async function setSmallWindow(folder: ForestFolder): Promise<void> {
  await folder.succeed(['config', 'set', 'models."demo/demo".context', '1080']);
  await folder.succeed(['config', 'set', 'models."demo/demo".output', '40']);
}

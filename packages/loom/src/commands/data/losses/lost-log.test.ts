import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FolderNews } from '@loom/data-folder';
import type { TestContext } from 'node:test';
import { withWriter } from '../../../runtime/opened-folder.ts';
import { ForestFolder } from '../../../testing/forest-folder.ts';

test('[FC27] a command that reads says that a log is gone, and shows what its files have, and nothing is changed', async (context) => {
  const { folder, root, other, log } = await lostIn(context);
  const gone = new RegExp(
    `The log of ${root} is gone, and change \\d+ of it had been acknowledged\\..*log\\.jsonl back`,
    'u',
  );
  const listed = await folder.run(['ls']);
  assert.match(listed.out, new RegExp(`^${root} .*2 nodes, log lost$`, 'mu'));
  assert.match(listed.out, new RegExp(`^${other} .*2 nodes$`, 'mu'));
  for (const args of [['ls'], ['tree'], ['show', root], ['search', 'needle']]) {
    const { code, out, note } = await folder.run(args);
    assert.equal(code, 0, note);
    assert.match(out, /needle/u);
    assert.match(note, gone, args.join(' '));
    assert.equal(note.match(/is gone/gu)?.length, 1, note);
  }
  assert.match(await folder.succeed(['ls', '--json']), new RegExp(`"id":"${root}".*"lost_change":\\d+\\}`, 'u'));
  assert.equal(existsSync(log), false);
});

test('[FC27] [DR6] a conversation of which neither log nor files are left is not shown as an empty one without a word', async (context) => {
  const { folder, root } = await lostIn(context);
  for (const name of ['nodes', 'root.json']) rmSync(join(folder.dataDir, root, name), { recursive: true });
  for (const args of [['ls'], ['tree'], ['show', root]]) {
    assert.match((await folder.run(args)).note, new RegExp(`The log of ${root} is gone`, 'u'));
  }
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1);
  assert.match(out, new RegExp(`^broken lost-log ${root}: .*It has 0 messages now`, 'mu'));
});

test('[FC27] [DR6] a command that writes goes on with what the files have; doctor tells the loss until the log is back or it is done without', async (context) => {
  const { folder, root, log, backup } = await lostIn(context);
  const told: string[] = [];
  const news = (heard: FolderNews): void => {
    if (heard.type === 'lost-log') told.push(`${heard.lost.log} ${heard.lost.seq}`);
  };
  await withWriter({ dataDir: folder.dataDir, news }, (loom) => loom.open(root));
  assert.match(told.join(), new RegExp(`^${root} \\d+$`, 'u'));
  await folder.succeed(['chat', '--node', `${root}/node-2`, '-p', 'echo more']);
  assert.match(await folder.succeed(['show', root]), /the first needle[^]*more/u);
  for (const round of ['first', 'second']) {
    const { code, out } = await folder.run(['doctor']);
    assert.equal(code, 1, round);
    const expected = `^broken lost-log ${root}: its log was gone, and change \\d+ of it had been acknowledged\\..*Put log\\.jsonl back.*It has 4 messages now`;
    assert.match(out, new RegExp(expected, 'mu'));
  }
  const rebuilt = readFileSync(log);
  writeFileSync(log, backup);
  assert.match(await folder.succeed(['doctor']), /all is well/u);
  assert.match(await folder.succeed(['show', root]), /the first needle/u);
  writeFileSync(log, rebuilt);
  const [kept = ''] = readdirSync(join(folder.dataDir, root)).filter((name) => name.includes('.lost-'));
  rmSync(join(folder.dataDir, root, kept));
  assert.match(await folder.succeed(['doctor']), /all is well/u);
});

test('[DR4] [DR6] doctor names a lost log, makes another of its files, and removes no blob that the lost one may cite', async (context) => {
  const { folder, root, log } = await lostIn(context);
  const blob = join(folder.dataDir, 'blobs', '1'.repeat(64));
  mkdirSync(join(folder.dataDir, 'blobs'), { recursive: true });
  writeFileSync(blob, 'x');
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(blob, longAgo, longAgo);
  const { code, out, note } = await folder.run(['doctor']);
  assert.deepEqual([code, note], [1, '']);
  assert.match(out, new RegExp(`^broken lost-log ${root}: .*log\\.jsonl is gone, .* It has 2 messages now`, 'mu'));
  assert.match(out, /^2 conversations with 4 messages.*1 thing broken/mu);
  assert.deepEqual([existsSync(log), existsSync(blob)], [true, true]);
});

test('[DR7] a conversation that was begun while the list was gone is not forgotten when the old list is put back', async (context) => {
  const folder = new ForestFolder(context, 'files');
  await folder.say('echo the first needle');
  const list = join(folder.dataDir, 'forest/log.jsonl');
  const backup = readFileSync(list);
  rmSync(list);
  const { root } = await folder.say('echo the second needle');
  writeFileSync(list, backup);
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1);
  assert.match(out, new RegExp(`^broken unlisted-log ${root}: it has 2 messages, but .*move forest/log\\.jsonl`, 'mu'));
  for (const path of [list, `${list}.acknowledged`]) rmSync(path);
  assert.match(await folder.succeed(['show', root]), /the second needle/u);
  assert.doesNotMatch((await folder.run(['doctor'])).out, /unlisted/u);
});

test('[KS1] [DR6] a folder whose logs were all deleted keeps its kind of store, and each of them is told of', async (context) => {
  const { folder, root, other } = await lostIn(context);
  for (const name of [other, 'forest']) rmSync(join(folder.dataDir, name, 'log.jsonl'));
  const { code, out } = await folder.run(['doctor', '--store', 'sqlite']);
  assert.equal(code, 1);
  const named = [...out.matchAll(/^broken lost-log (\S+):/gmu)].map(([, name]) => name);
  assert.deepEqual(new Set(named), new Set(['forest', other, root]));
  assert.equal(existsSync(join(folder.dataDir, 'loom.db')), false);
  assert.match(await folder.succeed(['tree']), /the first needle[^]*the second needle/u);
});

/** Two conversations in files; the log of one was deleted. */
async function lostIn(context: TestContext): Promise<{
  folder: ForestFolder;
  root: string;
  other: string;
  log: string;
  backup: Uint8Array;
}> {
  const folder = new ForestFolder(context, 'files');
  const { root } = await folder.say('echo the first needle');
  const { root: other } = await folder.say('echo the second needle');
  const log = join(folder.dataDir, root, 'log.jsonl');
  const backup = readFileSync(log);
  rmSync(log);
  return { folder, root, other, log, backup };
}

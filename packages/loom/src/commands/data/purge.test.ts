import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withWriter } from '../../runtime/opened-folder.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { ForestFolder } from '../../testing/forest-folder.ts';

const secret = 'sk-1234-SECRETKEY';

/** The files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

test('[PU8] a purged conversation with long messages has no longer records than before', async (context) => {
  const folder = new ForestFolder(context);
  const parts = await withWriter({ dataDir: folder.dataDir, files: false }, async (loom) => {
    const made = await loom.call('root.create', {});
    assert.ok(made.ok);
    const { root } = made.value;
    for (const letter of 'abcdefgh') {
      const message = { role: 'user' as const, content: letter.repeat(400_000) };
      assert.ok((await loom.call('node.append', { parent: root, messages: [message] })).ok);
    }
    const [block = ''] = [...(await loom.open(root)).nodes.values()].map((node) => node.blocks[0]?.block_id);
    const plan = await loom.engine.planPurge({ blocks: [block], roots: [] });
    assert.ok(plan.ok);
    return plan.value.logs.map(({ records }) => records.map((record) => record.text.length));
  });
  // The first holds nothing but the beginning of the conversation.
  assert.deepEqual(
    parts.map((lengths) => lengths.map((length) => Math.round(length / 400_000))),
    [[0, 1, 1, 1, 1, 1, 1, 1, 1]],
  );
});

for (const store of STORE_KINDS) {
  test(`[PU6] [PU7] ${store}: what was purged is in no file of the data folder, and the conversation goes on`, async (context) => {
    const folder = new ForestFolder(context, store);
    await folder.run(['chat', '-p', `echo my key is ${secret}`]);
    await folder.run(['edit-lines', 'node-1', '--replace', '0:1', '--with', `my other key is ${secret}`]);
    await folder.run(['search', secret]);
    writeFileSync(join(folder.dataDir, 'chat-history'), `echo my key is ${secret}\n`);
    assert.notDeepEqual(filesWith(folder.dataDir, secret), []);
    const asked = await folder.run(['purge', 'node-1']);
    assert.deepEqual([asked.code, asked.out], [1, '']);
    assert.match(asked.note, /gone for good: 1 block in 1 message[\s\S]*--yes/u);
    assert.notDeepEqual(filesWith(folder.dataDir, secret), [], 'without --yes nothing is changed');
    const done = await folder.run(['purge', 'node-1', 'node-2', '--yes']);
    assert.equal(done.code, 0, done.note);
    assert.deepEqual(filesWith(folder.dataDir, secret), []);
    const shown = await folder.run(['read', 'node-1']);
    assert.match(shown.out, /^0\t█+$/mu);
    const history = await folder.run(['history', 'node-1']);
    assert.equal(history.code, 0);
    const [root] = readdirSync(folder.dataDir).filter((name) => name.startsWith('root-'));
    assert.match(readFileSync(join(folder.dataDir, root ?? '', 'nodes/node-1.json'), 'utf8'), /"text": "█+"/u);
    // Again, as after an interruption.
    await folder.succeed(['purge', 'node-1', 'node-2', '--yes']);
    assert.equal((await folder.run(['chat', '--continue', '-p', 'echo go on'])).code, 0);
  });

  test(`[PU2] [PU7] ${store}: what an editor has written into a file is taken in before the file goes`, async (context) => {
    const folder = new ForestFolder(context, store);
    await folder.run(['chat', '-p', `echo my key is ${secret}`]);
    const [root] = readdirSync(folder.dataDir).filter((name) => name.startsWith('root-'));
    const path = join(folder.dataDir, root ?? '', 'nodes/node-1.json');
    const written = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      written.replace('my key is', 'my PLAIN key is').replace('"format"', '"title": "by hand",\n    "format"'),
    );
    writeFileSync(join(folder.dataDir, 'loom.db.damaged-1'), `as doctor keeps it, with ${secret}`);
    const done = await folder.run(['purge', 'node-1', 'node-2', '--yes']);
    assert.equal(done.code, 0, done.note);
    assert.match(readFileSync(path, 'utf8'), /"title": "by hand"/u);
    for (const gone of [secret, 'PLAIN']) assert.deepEqual(filesWith(folder.dataDir, gone), []);
  });

  test(`[PU10] ${store}: purge shows what will go and where else it stands, and the suggested command removes that too`, async (context) => {
    const folder = new ForestFolder(context, store);
    await folder.say('echo something else');
    const { root } = await folder.say(`echo my key is ${secret}`);
    await folder.succeed(['bookmark', 'add', `${root}/node-2`, `with ${secret}`]);
    const asked = await folder.run(['purge', `${root}/node-1`]);
    const name = `${root.slice(-4)}/node-`;
    assert.match(asked.note, new RegExp(`^This would be removed:\n  ${name}1  echo my key is ${secret}\n`));
    assert.match(asked.note, new RegExp(`The same words are elsewhere too:\n  ${name}2  “.*${secret}”\n`));
    assert.match(asked.note, new RegExp(`  ${root}  in its title, settings or bookmarks: “${secret}”\n`));
    const [, line = ''] = /^To remove these too: loom (.*) --data-dir \S+$/m.exec(asked.note) ?? [];
    const found = await folder.run(['purge', `${root}/node-1`, '--yes', '--json']);
    assert.match(
      found.out,
      new RegExp(`"elsewhere":\\[\\{"root":"${root}","block":"${root}/@demo:demo/1","earlier":false\\}`),
    );
    await folder.succeed(line.split(' '));
    await folder.succeed(['bookmark', 'remove', `${root}/node-2`]);
    const again = await folder.run(['purge', `${root}/node-1`, `${root}/node-2`]);
    assert.doesNotMatch(again.note, /elsewhere/, 'what is purged says nothing');
  });

  test(`[PU9] ${store}: of a whole conversation nothing is left`, async (context) => {
    const folder = new ForestFolder(context, store);
    const kept = await folder.say('echo kept');
    const { root } = await folder.say(`echo my key is ${secret}`, '--system', 'Say PLAIN things.');
    await folder.succeed(['bookmark', 'add', `${root}/node-1`, 'BOOKMARK']);
    const asked = await folder.run(['purge', root]);
    assert.match(
      asked.note,
      new RegExp(
        `^This would be removed:\n  ${root}  echo my key is ${secret} \\(2 messages, 1 of them bookmarked: “BOOKMARK”\\)\n`,
      ),
    );
    const done = await folder.run(['purge', root, '--yes']);
    assert.equal(done.code, 0, done.note);
    for (const gone of [secret, 'PLAIN', 'BOOKMARK']) assert.deepEqual(filesWith(folder.dataDir, gone), []);
    assert.deepEqual(
      (await folder.nodes(['tree'])).map(({ root_id }) => root_id),
      [kept.root, kept.root],
    );
    assert.match((await folder.run(['doctor'])).out, /all is well/);
    assert.match(await folder.succeed(['du']), /in 1 conversation,/u);
    await folder.succeed(['restore', root]);
    const next = await folder.say('echo new', '--node', root);
    assert.notEqual(next.node, `${root}/node-2`, 'no id comes again');
  });

  test(`[PU7] ${store}: what was deleted can be purged, and stays deleted`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { root } = await folder.say(`echo my key is ${secret}`);
    await folder.succeed(['rm', `${root}/node-1`]);
    await folder.succeed(['purge', `${root}/node-1`, `${root}/@demo:demo/1`, '--yes']);
    assert.deepEqual(filesWith(folder.dataDir, secret), []);
    assert.match((await folder.run(['read', `${root}/node-1`])).note, /is deleted/u);
    await folder.succeed(['rm', root]);
    await folder.succeed(['purge', `${root}/node-1`, '--yes']);
  });
}

test('[PU11] a purge of a conversation says which messages of it have bookmarks', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo one');
  await folder.succeed(['bookmark', 'add', 'node-2', 'the good one']);
  const asked = await folder.run(['purge', root]);
  assert.equal(asked.code, 1);
  assert.match(asked.note, /echo one \(2 messages, 1 of them bookmarked: “the good one”\)/);
});

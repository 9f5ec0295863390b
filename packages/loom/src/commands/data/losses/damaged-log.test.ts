import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { ForestFolder, jsonLines } from '../../../testing/forest-folder.ts';

for (const store of STORE_KINDS) {
  test(`[FC25] ${store}: one damaged conversation does not keep the others from being read`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { root } = await folder.say('echo the first needle');
    const { root: other } = await folder.say('echo the second needle');
    damage(folder.dataDir, root, store);

    const listed = await folder.run(['ls']);
    assert.equal(listed.code, 0);
    assert.match(listed.out, new RegExp(`^${other} .*2 nodes$`, 'mu'));
    assert.match(listed.out, new RegExp(`^${root} .*damaged$`, 'mu'));
    assert.match(
      listed.note,
      new RegExp(`^${root} cannot be read .*damaged.*\nloom doctor --data-dir \\S+ says more.\n$`, 'u'),
    );
    const marked = jsonLines(await folder.succeed(['ls', '--json'])).filter((line) =>
      /"damaged":/u.test(JSON.stringify(line)),
    );
    assert.equal(marked.length, 1);

    const drawn = await folder.run(['tree']);
    assert.deepEqual([drawn.code, drawn.out.includes(other), drawn.out.includes(root)], [0, true, false]);
    const found = await folder.run(['search', 'needle']);
    assert.deepEqual([found.code, found.out.includes('second'), found.out.includes('first')], [0, true, false]);
    assert.match(found.note, /cannot be read/u);
    const unfound = await folder.run(['search', 'nowhere at all']);
    assert.match(unfound.note, /no match .* in the texts that were searched\nNot all conversations can be read/u);
    assert.match(await folder.succeed(['show', `${other}/node-2`]), /the second needle/u);
    await folder.succeed(['bookmark', 'list']);

    const named = await folder.run(['show', root]);
    assert.deepEqual([named.code, named.out], [1, '']);
    assert.match(named.note, /^loom: .*damaged.*\n.*backup/u);
    await folder.succeed(['chat', '--continue', '-p', 'echo more']);
    assert.match(await folder.succeed(['show', other]), /more/u);
  });

  test(`[FC25] ${store}: where the only conversation is damaged, tree does not say that there is none`, async (context) => {
    const folder = new ForestFolder(context, store);
    assert.match((await folder.run(['tree'])).note, /There is no conversation in /u);
    const { root } = await folder.say('echo the first needle');
    damage(folder.dataDir, root, store);
    const { code, out, note } = await folder.run(['tree']);
    assert.deepEqual([code, out], [0, '']);
    assert.match(
      note,
      new RegExp(`^${root} cannot be read .*damaged.*\nloom doctor --data-dir \\S+ says more.\n$`, 'u'),
    );
    assert.deepEqual(await folder.nodes(['tree']), []);
  });

  test(`[FC25] ${store}: going on with the only conversation, which is damaged, is refused with the reason`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { root } = await folder.say('echo the first needle');
    damage(folder.dataDir, root, store);
    const { code, note } = await folder.run(['chat', '--continue', '-p', 'echo more']);
    assert.equal(code, 1);
    assert.match(
      note,
      /no conversation to continue\nThe existing ones cannot be read: loom doctor --data-dir .* says why/u,
    );
  });
}

for (const store of STORE_KINDS) {
  test(`[AR27] ${store}: a damaged conversation is left out of a backup and named, the others are in it`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { root } = await folder.say('echo the first needle');
    const { root: other } = await folder.say('echo the second needle');
    damage(folder.dataDir, root, store);
    for (const command of ['backup', 'export-store']) {
      const file = `${folder.dataDir}-${command}`;
      const { code, out, note } = await folder.run([command, file]);
      assert.deepEqual([code, /of 1 conversation to/u.test(out)], [1, true], note);
      assert.match(note, new RegExp(`^${root} cannot be read and is not in the archive: .*damaged`, 'mu'));
      assert.match(
        note,
        /^The archive is incomplete: 1 part could not be put into it\. loom doctor --data-dir \S+ says more\.$/mu,
      );
      const json = await folder.run([command, `${file}.json`, '--json']);
      assert.deepEqual([json.code, json.note], [1, '']);
      assert.match(
        json.out,
        new RegExp(`"ok":false.*"missing_logs":\\[\\{"name":"${root}","code":"store-corrupt"`, 'u'),
      );
    }
    const restored = `${folder.dataDir}-restored`;
    await folder.succeed(['restore-backup', `${folder.dataDir}-backup`, '--data-dir', restored]);
    assert.match(await folder.succeed(['show', other, '--data-dir', restored]), /the second needle/u);
  });
}

/** Changes the first message of a conversation, and leaves its checksums as they are. */
function damage(dataDir: string, root: string, store: StoreKind): void {
  if (store === 'files') {
    const file = join(dataDir, root, 'log.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('needle', 'noodle'));
    return;
  }
  using database = new DatabaseSync(join(dataDir, 'loom.db'));
  database.exec("DELETE FROM parts; UPDATE records SET text = replace(text, 'first needle', 'first noodle')");
}

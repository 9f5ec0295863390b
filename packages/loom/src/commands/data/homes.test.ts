import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { startServe } from '../../serve/testing/serve-process.ts';
import { clientOf, valueOf } from '../../serve/testing/served.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import { ForestFolder, jsonLines } from '../../testing/forest-folder.ts';

const pins = { entries: [{ key: 'pins/root-1', value: { order: 1 } }] };

for (const store of STORE_KINDS) {
  test(`[HM4] ${store}: homes are no conversations, and go with backups`, async (t) => {
    const folder = new ForestFolder(t, store);
    const { root } = await folder.say('echo one');
    const server = await startServe(t, folder.dataDir, '--port', '0');
    const client = clientOf(server.url, server.token);
    assert.deepEqual(valueOf(await client.call('home.set', pins)), { changed: 1 });
    const shared = { project: '/srv/a project', entries: [{ key: 'instructions', value: { text: 'Be brief.' } }] };
    assert.deepEqual(valueOf(await client.call('home.set', shared)), { changed: 1 });
    assert.equal(valueOf(await client.call('root.list', {})).items.length, 1);
    assert.equal(await server.end('SIGTERM'), 0);

    const kept = async (from: ForestFolder): Promise<unknown[]> => {
      const answers = [{}, { project: '/srv/a project' }].map((params) =>
        from.succeed(['call', 'home.list', JSON.stringify(params), '--json']),
      );
      return (await Promise.all(answers)).flatMap(jsonLines);
    };
    const before = await kept(folder);
    assert.match(JSON.stringify(before), /"pins\/root-1".*"Be brief\."/u);
    const listed = async (from: ForestFolder): Promise<unknown> =>
      jsonLines(await from.succeed(['ls', '--json'])).map((line) => z.looseObject({ id: z.string() }).parse(line).id);
    assert.deepEqual(await listed(folder), [root]);
    assert.match((await folder.run(['doctor'])).out, /all is well/u);
    const archive = join(folder.dataDir, '..', 'backup.jsonl');
    await folder.succeed(['backup', archive]);
    for (const kind of STORE_KINDS) {
      const restored = new ForestFolder(t, kind);
      await restored.succeed(['restore-backup', archive]);
      assert.deepEqual(await kept(restored), before);
      assert.deepEqual(await listed(restored), [root]);
      assert.match((await restored.run(['doctor'])).out, /all is well/u);
    }
  });

  test(`[HM4] ${store}: a damaged home is named by the doctor and mended by --set-aside, and keeps no conversation from opening`, async (t) => {
    const folder = new ForestFolder(t, store);
    const { root } = await folder.say('echo one');
    await withWriter({ dataDir: folder.dataDir }, async (loom) => {
      for (const key of ['pins/a', 'pins/b', 'pins/c']) {
        assert.ok((await loom.call('home.set', { entries: [{ key, value: {} }] })).ok);
      }
    });
    spoil(folder.dataDir, store);
    assert.equal((await folder.nodes(['show', root])).length, 2);
    const found = await folder.run(['doctor']);
    assert.deepEqual([found.code, /person\/person/u.test(found.out)], [1, true], found.out);
    await folder.succeed(['doctor', '--set-aside']);
    assert.match((await folder.run(['doctor'])).out, /all is well|quarantine/u);
    const answer = jsonLines(await folder.succeed(['call', 'home.list', '{}', '--json']))[0];
    const { value } = z.object({ value: z.object({ items: z.array(z.object({ key: z.string() })) }) }).parse(answer);
    assert.deepEqual(value.items, [{ key: 'pins/a' }, { key: 'pins/c' }]);
  });
}

/** Makes the second change of the home of the person unreadable. */
function spoil(dataDir: string, store: string): void {
  if (store === 'sqlite') {
    using database = new DatabaseSync(join(dataDir, 'loom.db'));
    const home = "SELECT id FROM logs WHERE name = 'person/person'";
    database.exec(`UPDATE records SET text = 'x' WHERE id = ((${home}) << 32 | 2)`);
    return;
  }
  const path = join(dataDir, 'person%2Fperson', 'log.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('pins/b', 'pins/x'));
}

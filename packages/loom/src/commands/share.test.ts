import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServe } from '../serve/testing/serve-process.ts';
import { ForestFolder } from '../testing/forest-folder.ts';

test('[SV135] a link is made beside a running server, shows its branch, is listed, outlives the server and is revoked', async (t) => {
  const folder = new ForestFolder(t);
  const key = 'ghp_Zk3mQ8vT1xR6bW9nL4pY7sD2fG5hJ0cKaEuI';
  const { root } = await folder.say(`echo the key is ${key}`);
  const server = await startServe(t, folder.dataDir, '--port', '0');
  const made = await folder.run(['share', 'create', root, '--days', '2']);
  assert.equal(made.code, 0);
  assert.match(made.note, /^2 secrets replaced by ••••: GitHub token ghp…/u);
  assert.ok(!made.note.includes(key));
  const link = new URL(made.out.trim());
  assert.equal(link.origin, new URL(server.url).origin);
  const read = async (address: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${address}/api/v1/share`, {
      headers: { authorization: `Bearer ${link.hash.slice(1)}` },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const shown = await read(server.url);
  assert.match(shown.text, /the key is ••••/u);
  assert.ok(!shown.text.includes(key));
  const file = join(folder.dataDir, 'shares.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!readFileSync(file, 'utf8').includes(link.hash.slice(1)));
  await server.end('SIGTERM');
  const list = await folder.succeed(['share']);
  assert.match(list, /^[\da-f]{12} {2}.* {2}one branch, until \d{4}-\d\d-\d\d\n$/u);
  const next = await startServe(t, folder.dataDir, '--port', '0');
  assert.equal((await read(next.url)).status, 200);
  const id = list.slice(0, 12);
  assert.equal(await folder.succeed(['share', 'revoke', id]), `The link ${id} shows nothing any more.\n`);
  assert.equal((await read(next.url)).status, 401);
  assert.match((await folder.run(['share'])).note, /There are no links/u);
  assert.equal((await folder.run(['share', 'revoke', id])).code, 1);
  await next.end('SIGTERM');
});

test('[SV135] wrong arguments make no link', async (t) => {
  const folder = new ForestFolder(t);
  const { root } = await folder.say('echo one');
  for (const days of ['0', '-1', '366', 'x', ''])
    assert.equal((await folder.run(['share', 'create', root, '--days', days])).code, 2, days);
  assert.notEqual((await folder.run(['share', 'create', 'node-99'])).code, 0);
  assert.match((await folder.run(['share', 'list'])).note, /There are no links/u);
});

test('[SV136] what a link would show is written as a file, which is not overwritten', async (t) => {
  const folder = new ForestFolder(t);
  const key = 'ghp_Zk3mQ8vT1xR6bW9nL4pY7sD2fG5hJ0cKaEuI';
  const { root } = await folder.say(`echo the key is ${key}`);
  const file = join(folder.dataDir, '..', 'talk.html');
  t.after(() => rmSync(file, { force: true }));
  const made = await folder.run(['share', 'save', root, '--out', file]);
  assert.equal(made.code, 0);
  assert.match(made.note, /Wrote .* to .*talk\.html\.\n2 secrets replaced by ••••/u);
  const text = readFileSync(file, 'utf8');
  assert.match(text, /the key is ••••/u);
  assert.ok(!text.includes(key) && !text.includes(root));
  assert.equal(await folder.succeed(['share', 'save', root]).then((out) => /the key is ••••/u.test(out)), true);
  const again = await folder.run(['share', 'save', root, '--keep-secrets', '--out', file]);
  assert.equal(again.code, 1);
  assert.match(again.note, /is there already, and says something else/u);
  assert.equal(readFileSync(file, 'utf8'), text);
  assert.match((await folder.run(['share'])).note, /There are no links/u);
});

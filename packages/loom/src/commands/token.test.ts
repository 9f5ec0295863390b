import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { signIn } from '@loom/client';
import { startServe } from '../serve/testing/serve-process.ts';
import { clientOf } from '../serve/testing/served.ts';
import { ForestFolder } from '../testing/forest-folder.ts';

test('[SV45] a token is made beside a running server, works at once under its name, is listed and revoked', async (t) => {
  const folder = new ForestFolder(t);
  const { root } = await folder.say('echo one');
  const other = await folder.say('echo two');
  const server = await startServe(t, folder.dataDir, '--port', '0');
  const made = await folder.run(['token', 'create', 'bot', '--root', root, '--days', '2']);
  assert.deepEqual([made.code, made.note], [0, 'A token for bot (tool, writer). It is shown this once:\n']);
  assert.match(made.out, /^loom_[\w-]{43}\n$/u);
  const bot = clientOf(server.url, made.out.trim());
  const said = { parent: `${root}/node-2`, messages: [{ role: 'user' as const, content: 'from the bot' }] };
  assert.equal((await bot.call('node.append', said)).ok, true);
  const elsewhere = await bot.call('root.get', { root: other.root });
  assert.equal(elsewhere.ok, false, 'it is limited to one conversation');
  const node = await bot.call('node.get', { node: `${root}/node-3` });
  assert.match(JSON.stringify(node), /@bot\/1/u);
  const list = await folder.succeed(['token']);
  assert.match(
    list,
    /^[\da-f]{12} {2}bot {2}tool, writer, 1 conversation only, made just now, until \d{4}-\d\d-\d\d\n$/u,
  );
  const id = list.slice(0, 12);
  assert.equal(await folder.succeed(['token', 'revoke', id]), `The token ${id} opens nothing any more.\n`);
  await assert.rejects(bot.call('root.get', { root }), { code: 'wrong-token' });
  assert.match((await folder.run(['token'])).note, /There are no tokens/u);
  await server.end('SIGTERM');
});

test('[SV45] wrong arguments are refused with what is taken, and nothing is made', async (t) => {
  const folder = new ForestFolder(t);
  const refusals: [string[], number, RegExp][] = [
    [['create'], 2, /agent/u],
    [['create', 'a b'], 2, /the name of an agent cannot be "a b".*letters, digits/su],
    [['create', 'bot', '--role', 'king'], 2, /--role cannot be "king".*reader, appender, writer, owner/su],
    [['create', 'bot', '--type', 'robot'], 2, /--type cannot be "robot".*person, model, tool, importer/su],
    [['create', 'bot', '--days', 'soon'], 2, /--days takes a number of days up to 36500, not "soon"/u],
    [['create', 'bot', '--days', '-1'], 2, /--days/u],
    [['list', 'x'], 2, /x/u],
  ];
  for (const [args, code, words] of refusals) {
    const refused = await folder.run(['token', ...args]);
    assert.equal(refused.code, code, refused.note);
    assert.match(refused.note, words);
  }
  assert.match((await folder.run(['token'])).note, /There are no tokens/u);
  assert.equal(existsSync(folder.dataDir), false);
  const missing = await folder.run(['token', 'revoke', 'abc']);
  assert.equal(missing.code, 1);
  assert.match(missing.note, /there is no token "abc".*token list/su);
});

test('[SV44] loom open prints a link that signs a browser in; without a server it says how to start one', async (t) => {
  const folder = new ForestFolder(t);
  const none = await folder.run(['open']);
  assert.equal(none.code, 1);
  assert.match(none.note, /there is no process that serves .*\nStart one: loom serve/u);
  await folder.say('echo one');
  const server = await startServe(t, folder.dataDir, '--port', '0');
  const link = (await folder.succeed(['open'])).trim();
  const [url = '', code = ''] = link.split('/#code=');
  assert.equal(url, server.url);
  const { token, agent } = await signIn(url, code, fetch);
  assert.equal((await clientOf(url, token).call('root.list', {})).ok, true);
  assert.deepEqual([agent, await clientOf(url, token).agent()], ['person', 'person']);
  assert.equal(await clientOf(url, token).role(), 'owner');
  await assert.rejects(signIn(url, code, fetch), { code: 'wrong-code' });
  const made = (await folder.succeed(['token', 'create', 'bot'])).trim();
  await assert.rejects(clientOf(server.url, made).issueCode());
  await server.end('SIGTERM');
});

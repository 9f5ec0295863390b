import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { leaveWaiting } from '../../testing/waiting-turn.ts';

const program = join(import.meta.dirname, '../../../../tools/src/testing/stand-in-server.ts');

test('[AG28] loom servers lists servers with their tools, switches both, and has changed descriptions reviewed', async (context) => {
  const folder = new ForestFolder(context);
  const file = join(temporaryDirectory(context), 'tools.json');
  const list = (description: string): void =>
    writeFileSync(file, JSON.stringify([{ name: 'query', description, inputSchema: { type: 'object' } }]));
  list('Asks the database.');
  const none = await folder.run(['servers']);
  assert.match(none.note, /There are no servers\./u);
  await folder.succeed(['config', 'set', 'mcp_servers.db.command', process.execPath]);
  await folder.succeed(['config', 'set', 'mcp_servers.db.args', JSON.stringify([program, file])]);
  await folder.succeed(['config', 'set', 'mcp_servers.db.env.STAND_IN_KEY', 'very-secret-value']);
  const listed = await folder.succeed(['servers']);
  assert.match(listed, /^db {2}ready .*\n {2}✔ db__query +changes +Asks the database\./mu);
  assert.doesNotMatch(listed, /very-secret/u);
  assert.match(await folder.succeed(['tools', '--model', 'anthropic/claude-sonnet-5']), /✔ db__query/u);

  list('Asks the database, and sends it on.');
  assert.match(await folder.succeed(['servers']), /· db__query .*\(changed: .*servers review db__query.*\)/u);
  const review = await folder.succeed(['servers', 'review', 'db__query']);
  assert.match(review, /^- Asks the database\.$[^]*^\+ Asks the database, and sends it on\.$/mu);
  await folder.succeed(['servers', 'review', 'db__query', '--accept']);
  assert.match(await folder.succeed(['servers']), /✔ db__query/u);

  await folder.succeed(['servers', 'off', 'db__query']);
  assert.match(await folder.succeed(['servers']), /· db__query .*\(off\)/u);
  await folder.succeed(['servers', 'off', 'db']);
  assert.match(await folder.succeed(['servers']), /^db {2}off/mu);
  await folder.succeed(['servers', 'on', 'db', 'db__query']);
  assert.match(await folder.succeed(['servers', 'log', 'db']), /stderr +the key is ••••/u);
  const unknown = await folder.run(['servers', 'off', 'nothing']);
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.note, /nothing is no tool or server/u);
});

test('[AG28] [MS4] a call of a server that waited for a person runs after the decision, in a process that starts the server', async (context) => {
  const folder = new ForestFolder(context);
  const file = join(temporaryDirectory(context), 'tools.json');
  writeFileSync(file, JSON.stringify([{ name: 'query', description: 'Asks.', inputSchema: { type: 'object' } }]));
  await folder.succeed(['config', 'set', 'mcp_servers.db.command', process.execPath]);
  await folder.succeed(['config', 'set', 'mcp_servers.db.args', JSON.stringify([program, file])]);
  const node = await leaveWaiting(folder, 'call db__query {"a":1}', ['db__query']);
  await folder.succeed(['approvals', 'allow', node]);
  assert.match(await folder.succeed(['show', node]), /query got \{"a":1\}/u);
});

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';

async function talkedIn(context: TestContext): Promise<ForestFolder & { nodes: string }> {
  const folder = new ForestFolder(context);
  await folder.succeed(['chat', '-p', 'hello there']);
  const [root] = readdirSync(folder.dataDir).filter((name) => name.startsWith('root-'));
  return Object.assign(folder, { nodes: join(folder.dataDir, root ?? '', 'nodes') });
}

test('[DR1] sound data is found sound', async (context) => {
  const folder = await talkedIn(context);
  assert.match(await folder.succeed(['doctor']), /^1 conversation with 2 messages and 0 blobs: all is well\.$/mu);
  assert.equal((await new ForestFolder(context).run(['doctor'])).code, 1);
});

test('[DR2] node files are made again, and what cannot be taken in is kept and shown', async (context) => {
  const folder = await talkedIn(context);
  rmSync(join(folder.nodes, 'node-1.json'));
  writeFileSync(join(folder.nodes, 'node-2.json'), 'not json at all');
  writeFileSync(join(folder.nodes, 'node-77.json'), '{}');
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 0, out);
  assert.match(out, /^mended file .*node-1\.json was missing/mu);
  assert.match(out, /^shown quarantine .*node-2/mu);
  assert.match(out, /^shown file .*node-77\.json belongs to no message/mu);
  assert.match(readFileSync(join(folder.nodes, 'node-1.json'), 'utf8'), /hello there/u);
  assert.match(readFileSync(join(folder.nodes, 'node-2.json'), 'utf8'), /"role": "assistant"/u);
});

test('[DR3] a change that is damaged is broken, with code 1', async (context) => {
  const folder = await talkedIn(context);
  const database = new DatabaseSync(join(folder.dataDir, 'loom.db'));
  const { changes } = database
    .prepare("UPDATE records SET text = replace(text, 'hello there', 'hello where') WHERE text LIKE '%hello there%'")
    .run();
  if (changes === 0) database.exec("UPDATE records SET packed = x'00' WHERE packed IS NOT NULL");
  database.close();
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1);
  assert.match(out, /^broken log /mu);
});

test('[DR4] a blob that nothing cites goes after a week, not before', async (context) => {
  const folder = await talkedIn(context);
  const blobs = join(folder.dataDir, 'blobs');
  mkdirSync(blobs, { recursive: true });
  const [young, old] = ['1', '2'].map((digit) => join(blobs, digit.repeat(64)));
  for (const path of [young, old]) writeFileSync(path ?? '', 'x');
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(old ?? '', longAgo, longAgo);
  assert.match(await folder.succeed(['doctor']), /Removed 1 blob/u);
  assert.deepEqual(readdirSync(blobs), ['1'.repeat(64)]);
});

test('[DR4] no blob goes while a log cannot be read: it may be the one that cites it', async (context) => {
  const folder = await talkedIn(context);
  const blobs = join(folder.dataDir, 'blobs');
  mkdirSync(blobs, { recursive: true });
  const blob = join(blobs, '1'.repeat(64));
  writeFileSync(blob, 'x');
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(blob, longAgo, longAgo);
  const database = new DatabaseSync(join(folder.dataDir, 'loom.db'));
  database.exec(
    "UPDATE records SET text = replace(text, 'hello there', 'hello where'), packed = NULL WHERE text NOTNULL",
  );
  database.exec("UPDATE records SET packed = x'00' WHERE packed NOTNULL");
  database.close();
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1, out);
  assert.match(out, /^broken log /mu);
  assert.deepEqual(readdirSync(blobs), ['1'.repeat(64)]);
});

test('[DR3] a database of another program or of a newer Loom is told as that; an empty one is none', async (context) => {
  const folder = await talkedIn(context);
  const path = join(folder.dataDir, 'loom.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 99');
  database.close();
  const newer = await folder.run(['doctor']);
  assert.equal(newer.code, 1);
  assert.match(newer.note, /has format 99[\s\S]*newer version of Loom/u);
  writeFileSync(path, 'this is no database at all, but something that somebody has put here'.repeat(20));
  const foreign = await folder.run(['doctor']);
  assert.equal(foreign.code, 1);
  assert.match(foreign.note, /is not a database of Loom/u);
  writeFileSync(path, '');
  assert.match(await folder.succeed(['doctor']), /^1 conversation with 2 messages/mu);
});

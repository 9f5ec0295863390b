import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { ForestFolder } from '../../testing/forest-folder.ts';

/** Made up, and put together here, so that no scanner takes them for real ones. */
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');
const key = ['f9Qw2mZx', '8LpTv4Rk', 'b7Yc3Hn6'].join('');

/** A session of Claude Code in which somebody pasted a token, and a file with a key was read. */
function sessionIn(context: TestContext): string {
  const about = { sessionId: 'session-1', cwd: '/project', version: '2.1.325', timestamp: '2026-02-03T04:05:06.000Z' };
  const lines = [
    { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: `Push with ${token}, please` } },
    {
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'u1',
      message: {
        role: 'assistant',
        id: 'msg_1',
        model: 'claude-x',
        content: [{ type: 'text', text: `Done.\n\n\`\`\`json\n{"api_key": "${key}"}\n\`\`\`` }],
      },
    },
  ];
  const folder = join(temporaryDirectory(context), '.claude', 'projects', '-project');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'session-1.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify({ ...about, isSidechain: false, ...line })}\n`).join(''));
  return file;
}

/** The files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

test('[LM50] [LM51] secrets lists keys and tokens with their blocks, none whole, and purges them; import says how many came', async (context) => {
  const folder = new ForestFolder(context);
  const file = sessionIn(context);
  const imported = await folder.run(['import', file]);
  assert.match(imported.note, /^2 secrets found in what was added.*loom.* secrets/mu);
  const listed = await folder.run(['secrets']);
  assert.match(listed.out, /GitHub token {2}ghp…3fG5 {2}.*\/@import:claude-code\/1, line 0\n/u);
  assert.match(
    listed.out,
    /key beside its name {2}f9Q…3Hn6 {2}.*, line 3\n\n2 secrets in 2 blocks of 1 conversation\.\n$/u,
  );
  assert.doesNotMatch(listed.out + listed.note, new RegExp(`${token}|${key}`, 'u'));
  const asked = await folder.run(['secrets', '--purge']);
  assert.equal(asked.code, 1);
  assert.match(asked.note, /nothing was purged; 2 blocks would be gone for good/u);
  assert.ok(filesWith(folder.dataDir, token).length > 0);
  assert.match(await folder.succeed(['secrets', '--purge', '--yes']), /Purged 2 blocks\./u);
  for (const secret of [token, key]) assert.deepEqual(filesWith(folder.dataDir, secret), []);
  const after = z
    .looseObject({ found: z.array(z.unknown()) })
    .parse(JSON.parse(await folder.succeed(['secrets', '--json'])));
  assert.deepEqual(after.found, []);
});

test('[LM52] export says which secrets are in the file, and writes dots in their place, in every format', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['import', sessionIn(context)]);
  const [node] = (await folder.nodes(['tree'])).slice(-1);
  for (const format of ['markdown', 'html', 'jsonl', 'ai-sdk', 'openai', 'anthropic']) {
    const order = ['export', node?.id ?? '', '--format', format];
    const kept = await folder.run(order);
    assert.ok(kept.out.includes(token) && kept.out.includes(key), format);
    assert.match(kept.note, /2 secrets found in it: GitHub token ghp…3fG5, key beside its name f9Q…3Hn6\./u);
    assert.doesNotMatch(kept.note, new RegExp(`${token}|${key}`, 'u'));
    const replaced = await folder.run([...order, '--replace-secrets']);
    assert.ok(!replaced.out.includes(token) && !replaced.out.includes(key), format);
    assert.equal(replaced.out, kept.out.replace(token, '••••').replace(key, '••••'), format);
    assert.match(replaced.note, /Replaced 2 secrets by ••••/u);
  }
});

test('[LM52] a session without its secrets is written on demand, and is then not one of the conversation', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['import', sessionIn(context)]);
  const [node] = (await folder.nodes(['tree'])).slice(-1);
  for (const format of ['claude-code', 'codex']) {
    const order = ['export', node?.id ?? '', '--format', format, '--out', '-'];
    const replaced = await folder.run([...order, '--replace-secrets']);
    assert.ok(!replaced.out.includes(token) && !replaced.out.includes(key), format);
    assert.match(replaced.note, /Replaced \d+ secrets by ••••/u);
    assert.match(replaced.note, /importing this session later makes a conversation of its own/u);
    for (const line of replaced.out.trim().split('\n')) assert.doesNotThrow(() => JSON.parse(line), format);
    const kept = await folder.run(order);
    assert.ok(kept.out.includes(token), format);
    assert.match(kept.note, /Write it with --replace-secrets/u);
  }
});

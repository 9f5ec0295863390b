import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { runInside } from '../testing/fake-terminal.ts';
import { clientOf, valueOf } from './testing/served.ts';
import { startServe } from './testing/serve-process.ts';
import { tokenFile } from './token-file.ts';

const newToken = z.object({ token: z.string() });

/** Lets the demo speak slowly; resolves once it has begun. */
async function beginSlowAnswer(client: LoomClient): Promise<{ root: string; answer: () => string }> {
  const { root } = valueOf(await client.call('root.create', {}));
  const said = { role: 'user' as const, content: 'Tell me a long story.' };
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages: [said] }));
  const begun = Promise.withResolvers<void>();
  const followed = client.follow(root, {
    onChange: (what) =>
      what.type === 'change' && what.events.some(({ type }) => type === 'text-appended') && begun.resolve(),
  });
  await followed.ready();
  valueOf(await client.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'slow' }));
  await begun.promise;
  followed.close();
  const answer = (): string => {
    const last = [...followed.replica.nodes.values()].at(-1);
    return (last?.blocks ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');
  };
  return { root, answer };
}

test('[SV40][SV41] loom serve --json says where it is, serves, tells a second writer, and stops in order', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const server = await startServe(t, dataDir, '--port', '0');
  assert.equal(server.pid, server.child.pid);
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/u);
  const client = clientOf(server.url, server.token);
  const { root, answer } = await beginSlowAnswer(client);
  const made = valueOf(await client.call('token.create', { agent: 'bot', type: 'tool', role: 'reader' }));
  assert.equal(statSync(join(dataDir, tokenFile)).mode & 0o777, 0o600);
  assert.doesNotMatch(readFileSync(join(dataDir, tokenFile), 'utf8'), /loom_/u);
  const second = await runInside(['serve', '--data-dir', dataDir, '--port', '0']);
  assert.equal(second.code, 1);
  assert.match(second.note, new RegExp(`${server.pid}.*${server.url}`, 'su'));
  assert.equal(await server.end('SIGTERM'), 0);
  const again = await startServe(t, dataDir, '--port', '0');
  const later = clientOf(again.url, again.token);
  const { items } = valueOf(await later.call('turn.list', { root }));
  assert.deepEqual(
    items.map(({ ended }) => ended),
    ['interrupted'],
  );
  const followed = later.follow(root);
  await followed.ready();
  const text = [...followed.replica.nodes.values()].at(-1)?.blocks[0];
  assert.ok(text?.type === 'text' && text.text.startsWith(answer()) && answer() !== '', 'what was said stays');
  followed.close();
  const bot = clientOf(again.url, newToken.parse(made).token);
  assert.equal(valueOf(await bot.call('root.list', {})).items.length, 1, 'a token is valid after a restart');
  assert.equal(await again.end('SIGINT'), 0);
});

test('[SV82] loom serve --follow takes in the sessions of agents, and what they write from then on', async (t) => {
  // The home of the process is the data folder here.
  const dataDir = join(temporaryDirectory(t), 'data');
  const file = join(dataDir, '.claude', 'projects', 'p', 'session-1.jsonl');
  mkdirSync(dirname(file), { recursive: true });
  const line = (uuid: string, parentUuid: string | null, content: string): string =>
    `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 'session-1', message: { role: 'user', content } })}\n`;
  writeFileSync(file, line('u1', null, 'one'));
  const server = await startServe(t, dataDir, '--port', '0', '--follow');
  const client = clientOf(server.url, server.token);
  const until = async (nodes: number): Promise<void> => {
    for (;;) {
      const { items } = valueOf(await client.call('root.list', {}));
      if (items[0]?.nodes === nodes) return;
      await new Promise((wake) => setTimeout(wake, 20));
    }
  };
  await until(1);
  appendFileSync(file, line('u2', 'u1', 'two'));
  await until(2);
  assert.equal(valueOf(await client.call('source.list', {})).following, true);
  assert.equal(await server.end('SIGTERM'), 0);
});

test('[SV42] a server that was killed in the middle of an answer serves it again, interrupted, with its text', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const server = await startServe(t, dataDir, '--port', '0');
  const { root, answer } = await beginSlowAnswer(clientOf(server.url, server.token));
  await server.end('SIGKILL');
  const again = await startServe(t, dataDir, '--port', '0');
  const client = clientOf(again.url, again.token);
  const followed = client.follow(root);
  await followed.ready();
  const block = [...followed.replica.nodes.values()].at(-1)?.blocks[0];
  assert.ok(block?.type === 'text' && block.text.startsWith(answer()) && answer() !== '');
  assert.deepEqual([block.status, block.error?.code], ['error', 'interrupted']);
  followed.close();
  await again.end('SIGTERM');
});

test('[SV43] wrong arguments are refused with what to do, and what reaches beyond this machine needs names and a token', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const refusals: [string[], number, RegExp][] = [
    [['--port', 'http'], 2, /--port takes a number from 0 to 65535.*With 0 a free one is taken/su],
    [['--port', '70000'], 2, /--port takes a number/u],
    [['--name', 'http://x'], 2, /--name takes names of this machine.*--name loom\.example:4177/su],
    [['--host', '0.0.0.0'], 2, /can be reached from other machines; by which names\?.*--name/su],
    [['--host', '0.0.0.0', '--name', 'loom.example:1'], 1, /there is no token yet.*token create/su],
    [['--host', '203.0.113.1', '--name', 'x:1'], 1, /there is no token yet/u],
  ];
  for (const [args, code, words] of refusals) {
    const { code: ended, note } = await runInside(['serve', '--data-dir', dataDir, ...args]);
    assert.equal(ended, code, note);
    assert.match(note, words);
  }
  const first = await startServe(t, dataDir, '--port', '0', '--host', '[::1]');
  assert.match(first.url, /^http:\/\/\[::1\]:\d+$/u);
  assert.match(await (await fetch(first.url)).text(), /<title>Loom/u);
  const { port } = new URL(first.url);
  const taken = await runInside(['serve', '--data-dir', join(dataDir, 'other'), '--host', '::1', '--port', port]);
  assert.match(taken.note, /another program listens on port \d+ of ::1.*--port 0/su);
  await first.end('SIGTERM');
});

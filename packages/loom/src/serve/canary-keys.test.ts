import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { tellTried } from '@loom/blocks/testing';
import type { Outcome } from '@loom/kernel';
import { clientOf } from './testing/served.ts';
import { startServe } from './testing/serve-process.ts';

const key = 'canary-key-4f7a9b2c5d8e';
const content = 'canary-content-1b6d';
/** Words of the provider beside the key: they are no key, and show that the places are really looked at. */
const unmasked = 'canary-other-93e1';

function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  return assert.fail(JSON.stringify(outcome.refusal));
}

/** A provider that repeats the key that it was sent. */
async function startEcho(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const message = `invalid key: ${request.headers.authorization ?? ''} at ${request.url ?? ''} (${unmasked})`;
    response.writeHead(401, { 'content-type': 'application/json', 'x-echo': key });
    response.end(JSON.stringify({ error: { message, type: 'authentication_error', code: key } }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/v1` : assert.fail();
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

test('[SV75] a key that the provider sends back stands in no answer, frame, log or file; what is said stands in no log', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const settings = ['[providers.openai]', `apiKey = "${key}"`, `baseURL = "${await startEcho(t)}"`, ''].join('\n');
  writeFileSync(join(dataDir, 'config.toml'), settings, { mode: 0o600 });
  const server = await startServe(t, dataDir, '--port', '0');
  const client = clientOf(server.url, server.token, 'events');
  const { root } = valueOf(await client.call('root.create', {}));
  const frames: string[] = [];
  const followed = client.follow(root, { onChange: (what) => void frames.push(JSON.stringify(what)) });
  await followed.ready();
  const list = client.followList();
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
  const started = valueOf(
    await client.call('turn.start', { node: nodes[0] ?? '', provider: 'openai', model: 'gpt-5' }),
  );
  valueOf(await client.call('turn.wait', { root, turn: started.turns[0] ?? '' }));
  const now = await client.call('root.get', { root });
  await followed.reach((now.ok && now.cursor) || assert.fail());
  await list.until(({ items }) => items.some((item) => item.nodes === 2));
  const answers = [
    JSON.stringify([...followed.replica.nodes.values()]),
    JSON.stringify(list.getSnapshot()),
    JSON.stringify(await client.call('call.list', { root })),
  ];
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const node = [...followed.replica.nodes.keys()].at(-1) ?? '';
  for (const [path, body] of [
    ['/api/v1/root.get', { root }],
    ['/api/v1/node.get', { node }],
    ['/api/v1/call.get', { node }],
    ['/api/v1/kernel.search', { query: 'invalid|canary' }],
    ['/api/v1/operation.none', { key }],
  ] as const) {
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    answers.push(await answer.text());
  }
  for (const path of ['/metrics', '/api/v1/health']) {
    answers.push(await (await fetch(`${server.url}${path}`, { headers })).text());
  }
  followed.close();
  list.close();
  assert.equal(await server.end('SIGTERM'), 0);
  assert.match(answers.join('\n'), /invalid key/u, 'the provider was asked, and its answer is shown');
  const files = filesBelow(dataDir).filter((path) => !path.endsWith('config.toml'));
  const placesOf = (words: string) => ({
    answers: answers.filter((text) => text.includes(words)),
    frames: frames.filter((text) => text.includes(words)),
    files: files.filter((path) => readFileSync(path).includes(words)),
  });
  assert.deepEqual(placesOf(key), { answers: [], frames: [], files: [] });
  const found = placesOf(unmasked);
  const counts = [found.answers.length, found.frames.length, found.files.length];
  assert.ok(
    counts.every((count) => count > 0),
    `what is no key is found everywhere: ${counts.join(', ')}`,
  );
  tellTried(t, answers.length + frames.length + files.length, 'answers, frames and files searched for a key');
  const log = readFileSync(join(dataDir, 'loom.log'), 'utf8');
  assert.match(log, /"event":"started"[^\n]*\n(.*\n)*[^\n]*"event":"stopped"/u);
  assert.ok(!log.includes(content), log);
  assert.ok(!log.includes(server.token), log);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { say } from '../../../testing/scripted-provider.ts';
import { createWorld } from '../../../testing/world.ts';
import type { Caller } from '../../operation.ts';
import { secretReport } from './secret-report.ts';
import type { SecretReport } from './secret-report.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

/** Made up, and put together here, so that no scanner takes them for real ones. */
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');
const password = ['f9Qw', '2mZx', '8LpT', 'v4Rk'].join('');

type World = Awaited<ReturnType<typeof createWorld>>;

async function scan({ engine }: World, params: { roots?: string[] } = {}, caller = by()): Promise<SecretReport> {
  const started = await engine.call('secret.scan', caller, params);
  assert.ok(started.ok);
  return reportOf(engine, started.value.job);
}

/** Returns the result of a job, once it is done. */
async function reportOf(engine: World['engine'], job: string): Promise<SecretReport> {
  const asked = await engine.call('job.get', by(), { job });
  assert.ok(asked.ok && asked.value.state !== 'failed');
  if (asked.value.state === 'done') return secretReport().parse(asked.value.result);
  await new Promise((resolve) => void setImmediate(resolve));
  return reportOf(engine, job);
}

test('[OP185] a scan lists secrets with their conversation, block, line and kind, none of them whole, and a purge removes what it lists', async () => {
  const world = await createWorld([say(`it is ${token}`)]);
  const question = await world.say(`line one\nDATABASE_URL=postgres://me:${password}@db/x\nline three`);
  await world.engine.turns.wait(await world.answer(question));
  const report = await scan(world);
  assert.deepEqual(
    report.found.map(({ root, node, line, kind }) => [root === world.root, node === question, line, kind]),
    [
      [true, true, 1, 'password in an address'],
      [true, false, 0, 'GitHub token'],
    ],
  );
  assert.deepEqual([report.roots, report.blocks >= 2, report.more, report.unread], [1, true, 0, []]);
  const said = JSON.stringify(report);
  for (const secret of [token, password]) assert.ok(!said.includes(secret), said);
  assert.deepEqual(await scan(world, { roots: [world.root] }), report);
  const blocks = report.found.map(({ block }) => block);
  assert.ok((await world.engine.call('block.purge', by(), { blocks, confirmed: true })).ok);
  assert.deepEqual((await scan(world)).found, []);
});

test('[OP185] only owners scan, and of conversations that a caller may see', async () => {
  const world = await createWorld([]);
  await world.say(`my token is ${token}`);
  const refused = await world.engine.call('secret.scan', by({ role: 'writer' }), {});
  assert.ok(!refused.ok && refused.refusal.reason === 'not-permitted');
  const other = await world.engine.call('root.create', by(), {});
  assert.ok(other.ok);
  const limited = by({ roots: [other.value.root] });
  for (const params of [{}, { roots: [world.root] }]) {
    const beyond = await world.engine.call('secret.scan', limited, params);
    assert.ok(!beyond.ok && beyond.refusal.reason === 'not-permitted');
  }
  const seen = await scan(world, { roots: [other.value.root] }, limited);
  assert.deepEqual([seen.roots, seen.found], [1, []]);
});

test('[OP186] a scan finds what only an earlier version has, once, and a purge of the block erases it', async () => {
  const world = await createWorld([]);
  const { engine, root } = world;
  const added = await engine.call('node.append', by(), {
    parent: root,
    messages: [{ role: 'user', content: `my token is ${token}` }],
  });
  assert.ok(added.ok);
  const node = added.value.nodes[0] ?? assert.fail();
  for (const content of [`still ${token}, and ${password}`, 'gone']) {
    const edited = await engine.call('node.edit', by(), { node, content, mode: 'in-place' });
    assert.ok(edited.ok);
  }
  const report = await scan(world);
  assert.deepEqual(
    report.found.map(({ node: where, part, kind }) => [where, part, kind]),
    [[node, 'version', 'GitHub token']],
  );
  assert.deepEqual(report.skipped, { large: 0, binary: 0, versions: 0 });
  const blocks = report.found.map(({ block }) => block);
  assert.ok((await engine.call('block.purge', by(), { blocks, confirmed: true })).ok);
  assert.deepEqual((await scan(world)).found, []);
});

test('[OP186] a scan reads long output and text files, and counts what it does not read', async () => {
  const world = await createWorld([]);
  const { engine, root } = world;
  const put = (text: string): Promise<string> => engine.blobs.put(new TextEncoder().encode(text));
  const [output, file, binary, large] = await Promise.all([
    put(`${'x\n'.repeat(40)}${token}\n`),
    put(`API_KEY=${password}\n`),
    put(`PK\u0000${token}`),
    put(`${token}\n${'y'.repeat(8 * 1024 * 1024)}`),
  ]);
  const added = await engine.call('node.append', by(), {
    parent: root,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', media_type: 'text/plain', blob: file, filename: '.env' },
          { type: 'image', media_type: 'application/zip', blob: binary, filename: 'a.zip' },
          { type: 'image', media_type: 'image/png', blob: file, filename: 'again.png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'command', command: 'env', stdout: { blob: output, bytes: 120, preview: 'x\nx' } },
          { type: 'command', command: 'cat big', stdout: { blob: large, bytes: 9_000_000, preview: 'y' } },
        ],
      },
    ],
  });
  assert.ok(added.ok);
  const report = await scan(world);
  assert.deepEqual(
    report.found.map(({ part, about, line, kind }) => [part, about, line, kind]),
    [
      ['file', '.env', 0, 'key beside its name'],
      ['output', 'env', 40, 'GitHub token'],
    ],
  );
  assert.deepEqual(report.skipped, { large: 1, binary: 1, versions: 0 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { say } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';
import { secretReport } from './secret-operations.ts';
import type { SecretReport } from './secret-operations.ts';

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

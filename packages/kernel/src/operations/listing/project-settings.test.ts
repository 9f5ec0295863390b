import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { FolderPort } from '../../ports.ts';
import type { Outcome } from '../../refusal.ts';
import { createWorld } from '../../testing/world.ts';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';
import type { ParamsOf } from '../table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'ann', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

const [tides, worktree] = ['/home/user/tides', '/home/user/tides-worktrees/one'];
const project = 'github.com/jo/tides';

/** A machine with one repository and a worktree of it. */
const folders: FolderPort = {
  repositoryOf: async (directory) =>
    directory.startsWith(tides) ? { top: tides, remote: 'git@github.com:jo/tides.git' } : undefined,
};

const configOf = async (engine: LoomEngine, directory: string) =>
  value(await engine.call('project.get', by(), { directory })).config;

async function begin(engine: LoomEngine, config: PlainObject): Promise<unknown> {
  const { root } = value(await engine.call('root.create', by(), { config }));
  return value(await engine.call('root.get', by(), { root })).config['instructions'];
}

test('[OP303] the settings of a project are kept in its home, are the same in all its folders, and are taken back by null', async () => {
  const engine = (await createWorld()).another({ folders });
  assert.deepEqual(value(await engine.call('project.get', by(), { directory: tides })), {
    project,
    name: 'tides',
    directory: tides,
    config: {},
  });
  const answer = value(
    await engine.call('root.configure', by(), { project, config: { model: 'demo/plain', instructions: false } }),
  );
  assert.deepEqual(answer, { project, config: { model: 'demo/plain', instructions: false } });
  assert.deepEqual(await configOf(engine, worktree), answer.config);
  const { items } = value(await engine.call('home.list', by(), { project }));
  assert.deepEqual(
    items.map(({ key }) => key),
    ['settings/instructions', 'settings/model'],
  );
  value(await engine.call('root.configure', by(), { project, config: { model: null } }));
  assert.deepEqual(await configOf(engine, tides), { instructions: false });
  assert.deepEqual(await configOf(engine, '/home/user/notes'), {}, 'of another project');
});

test('[OP303] what a project does not know or may not hold is refused, and who may not reach it gets nothing', async () => {
  const { engine, root } = await createWorld();
  const reasonOf = async (params: ParamsOf<'root.configure'>, given: Partial<Caller> = {}): Promise<string> => {
    const outcome = await engine.call('root.configure', by(given), params);
    return outcome.ok ? 'ok' : outcome.refusal.reason;
  };
  const config = { model: 'demo' };
  assert.equal(await reasonOf({ project, config: { modle: 'demo' } }), 'unknown-config-key');
  assert.equal(await reasonOf({ project, config: { model: 7 } }), 'invalid-params');
  assert.equal(await reasonOf({ project, config: { instructions: 'no' } }), 'invalid-params');
  assert.equal(await reasonOf({ config }), 'invalid-params');
  assert.equal(await reasonOf({ project, root, config }), 'invalid-params');
  assert.equal(await reasonOf({ project, config }, { roots: [root] }), 'not-permitted');
  assert.equal(await reasonOf({ project, config }, { role: 'appender' }), 'not-permitted');
  assert.equal(await reasonOf({ project, config: { instructions: false } }, { role: 'writer' }), 'not-permitted');
  assert.equal(await reasonOf({ project, config }, { role: 'writer' }), 'ok');
  const limited = await engine.call('project.get', by({ roots: [root] }), { project });
  assert.equal(limited.ok ? '' : limited.refusal.reason, 'not-permitted');
});

test('[OP304] a conversation that begins in a folder of a project inherits its instructions, unless it says itself', async () => {
  const engine = (await createWorld()).another({ folders });
  assert.equal(await begin(engine, { directory: tides }), undefined);
  value(await engine.call('root.configure', by(), { project, config: { instructions: false } }));
  assert.equal(await begin(engine, { directory: worktree }), false);
  assert.equal(await begin(engine, { directory: tides, instructions: true }), true);
  assert.equal(await begin(engine, { directory: '/home/user/notes' }), undefined);
  assert.equal(await begin(engine, {}), undefined);
});

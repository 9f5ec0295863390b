import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineOptions } from '../operations/calling/engine.ts';
import type { Provider } from '../provider.ts';
import { readRootSettings } from '../root-settings.ts';
import { createWorld } from '../testing/world.ts';

/** A process with an agent that needs a folder, and the folders that it was asked to work in. */
async function stage(scratch: NonNullable<EngineOptions['scratch']>) {
  const world = await createWorld();
  const seen: (string | undefined)[] = [];
  const agent: Provider = {
    id: 'agent',
    runsTools: true,
    needsFolder: true,
    async *stream({ directory }) {
      seen.push(directory);
      yield { type: 'call-start' };
      yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'Done.' } };
      yield { type: 'call-end', reason: 'stop' };
    },
  };
  const engine = world.another({ providers: [agent, world.provider], scratch, exclusive: true });
  const turn = async (provider: string): Promise<void> => {
    const node = await world.say('go');
    const params = { node, provider, model: 'one' };
    const outcome = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
    assert.ok(outcome.ok);
    await engine.turns.wait(outcome.value.turns[0] ?? '');
  };
  const folder = async (): Promise<string | undefined> =>
    readRootSettings((await engine.forest.log(world.root).state()).config).directory;
  return { world, engine, seen, turn, folder };
}

test('[OP320] a conversation without a folder gets a scratch folder before an agent answers, once, and keeps it', async () => {
  const made: string[] = [];
  const make = async (root: string): Promise<string> => {
    made.push(root);
    return `/scratch/${root}`;
  };
  const { world, seen, turn, folder } = await stage({ make, owns: () => false });
  await turn('scripted').catch(() => {});
  assert.equal(await folder(), undefined, 'models need none');
  await turn('agent');
  await turn('agent');
  const own = `/scratch/${world.root}`;
  assert.deepEqual([await folder(), made, seen], [own, [world.root], [own, own]]);
});

test('[OP320] a folder that a person has chosen stays, also where it was chosen while the scratch folder was made', async () => {
  let choose = async (): Promise<void> => {};
  const make = async (root: string): Promise<string> => {
    await choose();
    return `/scratch/${root}`;
  };
  const { world, engine, seen, turn } = await stage({ make, owns: () => false });
  choose = async () => {
    const caller = { agent: 'ann', type: 'person', role: 'owner', door: 'library', id: world.ids.next() } as const;
    const config = { directory: '/work' };
    assert.ok((await engine.call('root.configure', caller, { root: world.root, config })).ok);
  };
  await turn('agent');
  assert.deepEqual(seen, ['/work']);
});

test('[OP320] an agent is asked without a folder where none can be made: it says so', async () => {
  const { seen, turn } = await stage({ make: () => Promise.reject(new Error('disk full')), owns: () => false });
  await turn('agent');
  assert.deepEqual(seen, [undefined]);
});

test('[OP321] a scratch folder is no project', async () => {
  const { world, engine, turn } = await stage({
    make: async (root) => `/scratch/${root}`,
    owns: (directory) => directory.startsWith('/scratch/'),
  });
  await turn('agent');
  const { config } = await engine.forest.log(world.root).state();
  assert.equal(await engine.projects.find({ config }), undefined);
  assert.equal(await engine.projects.find({ config, project: 'tides' }), 'tides', 'unless a person puts it into one');
  assert.equal(await engine.projects.find({ config: { directory: '/work' } }), '/work');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Models } from './models.ts';
import { followProjectModel, takeProjectModel } from './project-model.ts';

function modelsWith(names: readonly string[]): Models {
  const items = names.map((name) => ({ name, provider: 'demo', model: name, usable: true }));
  const answers: Record<string, unknown> = {
    'model.list': { items, default: names[0] },
    'provider.list': { items: [] },
    'preset.list': { items: [], defaults: { n: 1, settings: {} } },
  };
  const kept = new Map<string, string>();
  return new Models(async (name) => answers[name], {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  });
}

/** A server whose projects are their folders. */
const ask =
  (models: Readonly<Record<string, string>>) =>
  async (_name: string, { directory }: { directory: string }) => {
    const model = models[directory];
    return { config: model === undefined ? {} : { model } };
  };

test('[WB581] the model of a project is picked in its folders, and the earlier choice comes back elsewhere', async () => {
  const models = modelsWith(['one', 'two', 'three']);
  const parts = { ask: ask({ '/tides': 'two', '/gone': 'nine' }), models };
  const names = () => models.picked.getSnapshot().names;
  models.picked.set({ names: ['one'], n: 2 });
  await takeProjectModel(parts, '/tides');
  assert.deepEqual(models.picked.getSnapshot(), { names: ['two'], n: 1 });
  await takeProjectModel(parts, '/tides');
  await takeProjectModel(parts, '/notes');
  assert.deepEqual(models.picked.getSnapshot(), { names: ['one'], n: 2 });
  await takeProjectModel(parts, '/gone');
  assert.deepEqual(names(), ['one'], 'a model that cannot be asked is not taken');
  await takeProjectModel(parts, '/tides');
  models.picked.set({ names: ['three'], n: 1 });
  await takeProjectModel(parts, '');
  assert.deepEqual(names(), ['three'], 'what the reader has chosen meanwhile stays');
});

test('[WB650] a project whose model has become another one picks it; other news of projects leave the choice of the reader', async () => {
  const models = modelsWith(['one', 'two', 'three']);
  const settings: Record<string, string> = { '/tides': 'two' };
  const parts = { ask: ask(settings), models };
  const names = () => models.picked.getSnapshot().names;
  models.picked.set({ names: ['one'], n: 1 });
  await followProjectModel(parts, '/tides');
  assert.deepEqual(names(), ['one'], 'the page has not asked for it yet');
  await takeProjectModel(parts, '/tides');
  models.picked.set({ names: ['three'], n: 1 });
  await followProjectModel(parts, '/tides');
  assert.deepEqual(names(), ['three']);
  settings['/tides'] = 'one';
  await followProjectModel(parts, '/tides');
  assert.deepEqual(names(), ['one']);
});

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { LoomEngine } from '@loom/kernel';
import type { Caller, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { createModels } from '../models/models.ts';
import { wire } from '../runtime/opened-folder.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { hostOperations } from './host-operations.ts';

function open(t: TestContext) {
  const [home, folder] = [temporaryDirectory(t), temporaryDirectory(t)];
  const models = createModels({ dataDir: temporaryDirectory(t), env: { HOME: home }, clock: systemClock });
  const store = createMemoryStore({ now: Date.now });
  const engine = new LoomEngine({ ...wire({ models, operations: hostOperations(models) }), store });
  t.after(() => engine.close());
  let requests = 0;
  const ask = <Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    given: Partial<Caller> = {},
  ): Promise<Outcome<ResultOf<Name>>> => {
    const id = `request-${(requests += 1)}`;
    return engine.call(name, { agent: 'ada', type: 'person', role: 'owner', door: 'http', id, ...given }, params);
  };
  const value = async <Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    given: Partial<Caller> = {},
  ): Promise<ResultOf<Name>> => {
    const outcome = await ask(name, params, given);
    return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
  };
  const reason = async <Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    given: Partial<Caller> = {},
  ): Promise<string> => {
    const outcome = await ask(name, params, given);
    return outcome.ok ? 'done' : outcome.refusal.reason;
  };
  return { home, folder, value, reason };
}

function plant(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test('[PR20] a prompt that is kept is listed, read, filled, replaced and removed, and what was there before comes back', async (t) => {
  const { value, reason } = open(t);
  const content = { text: '# Review\nReview $1 for $FOCUS.', argument_hint: 'file FOCUS=bugs' };
  assert.deepEqual(await value('prompt.set', { name: 'review', ...content }), { changed: true });
  assert.deepEqual((await value('prompt.list', {})).items, [
    { name: 'review', source: 'own', description: 'Review', argument_hint: 'file FOCUS=bugs', characters: 30 },
  ]);
  assert.equal((await value('prompt.get', { name: 'review' })).text, content.text);
  assert.deepEqual(await value('prompt.fill', { name: 'review', arguments: 'a.ts' }), {
    text: '# Review\nReview a.ts for $FOCUS.',
    missing: ['$FOCUS'],
    commands: [],
    source: 'own',
  });
  const { before } = await value('prompt.set', { name: 'review', text: 'New.' });
  assert.deepEqual(before, { name: 'review', ...content });
  assert.deepEqual(await value('prompt.remove', { name: 'review' }), {
    changed: true,
    before: { name: 'review', text: 'New.' },
  });
  assert.equal(await reason('prompt.remove', { name: 'review' }), 'prompt-not-found');
  assert.equal(await reason('prompt.get', { name: 'review' }), 'prompt-not-found');
  for (const name of ['', '/x', 'a b', '../x', '-x'])
    assert.equal(await reason('prompt.set', { name, text: 'x' }), 'invalid-params', name);
  assert.equal(await reason('prompt.set', { name: 'x', text: 'x'.repeat(40_000) }), 'invalid-params');
});

test('[PR21] of one name the own prompt wins, then that of the project, the folder and the home of the programs', async (t) => {
  const { home, folder, value } = open(t);
  plant(home, '.claude/commands/review.md', 'claude');
  plant(home, '.codex/prompts/review.md', 'codex');
  plant(folder, '.claude/commands/review.md', 'Run !`git status` now.');
  const { root } = await value('root.create', { config: { directory: folder } });
  const { project = '' } = await value('prompt.list', { root });
  assert.equal(project, folder);
  await value('prompt.set', { name: 'review', text: 'shared', project });
  await value('prompt.set', { name: 'review', text: 'own' });
  const { items } = await value('prompt.list', { root });
  assert.deepEqual(
    items.map(({ source, hidden }) => [source, hidden]),
    [
      ['own', undefined],
      ['project', true],
      ['folder', true],
      ['claude', true],
      ['codex', true],
    ],
  );
  assert.equal((await value('prompt.fill', { name: 'review', root })).text, 'own');
  await value('prompt.remove', { name: 'review' });
  assert.equal((await value('prompt.fill', { name: 'review', directory: folder })).text, 'shared');
  assert.deepEqual(await value('prompt.fill', { name: 'review', root, source: 'folder' }), {
    text: 'Run !`git status` now.',
    missing: [],
    commands: ['git status'],
    source: 'folder',
  });
  assert.equal((await value('prompt.get', { name: 'review' })).text, 'claude', 'without a folder that of the home');
});

test('[PR23] only owners see prompts of this machine; others have their own, and what a project shares takes a writer', async (t) => {
  const { home, folder, value, reason } = open(t);
  plant(home, '.claude/commands/secret.md', 'x');
  plant(folder, '.claude/commands/secret.md', 'x');
  const { root } = await value('root.create', { config: { directory: folder } });
  const bob: Partial<Caller> = { agent: 'bob', role: 'reader' };
  assert.deepEqual(await value('prompt.list', { root }, bob), { items: [], skipped: [], project: folder });
  assert.equal(await reason('prompt.list', { directory: folder }, bob), 'not-permitted');
  assert.equal(await reason('prompt.set', { name: 'mine', text: 'x' }, bob), 'done');
  assert.equal(await reason('prompt.set', { name: 'ours', text: 'x', project: folder }, bob), 'not-permitted');
  assert.equal(
    await reason('prompt.set', { name: 'ours', text: 'x', project: folder }, { ...bob, role: 'writer' }),
    'done',
  );
  const limited: Partial<Caller> = { agent: 'eve', role: 'owner', roots: [root] };
  assert.deepEqual((await value('prompt.list', { root }, limited)).items, []);
  assert.equal(await reason('prompt.list', { project: folder }, limited), 'not-permitted');
  assert.deepEqual(
    (await value('prompt.list', { root }, bob)).items.map(({ name, source }) => [name, source]),
    [
      ['mine', 'own'],
      ['ours', 'project'],
    ],
  );
});

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openLoom } from '../../open-loom.ts';
import type { Loom } from '../../open-loom.ts';
import { scripted } from './testing/scripted-model.ts';
import type { Round } from './testing/scripted-model.ts';

async function stage(
  t: TestContext,
  directory: string,
  rounds: readonly Round[],
  { tools = ['read', 'edit', 'write'], approves = false }: { tools?: string[]; approves?: boolean } = {},
) {
  const loom = await openLoom({
    store: createMemoryStore(),
    dataDir: temporaryDirectory(t),
    providers: [scripted(rounds)],
  });
  t.after(() => loom.close());
  const created = await loom.call('root.create', { config: { directory, approval_mode: 'edit' } });
  assert.ok(created.ok);
  const { root } = created.value;
  const said = await loom.call('node.append', { parent: root, messages: [{ role: 'user', content: 'Go.' }] });
  assert.ok(said.ok);
  const node = said.value.nodes[0] ?? '';
  const started = await loom.call('turn.start', { node, provider: 'scripted', model: 'm', tools });
  assert.ok(started.ok);
  const turn = started.value.turns[0] ?? '';
  if (approves) await approveNext(loom, root);
  assert.ok((await loom.call('turn.wait', { root, turn })).ok);
  const ask = async (name: string, params: Record<string, unknown> = {}): Promise<unknown> => {
    const outcome = await loom.call(name, { root, turn, ...params });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value;
  };
  return { loom, root, turn, ask };
}

test('[FU3] a turn over 50 files is undone but for three that were changed and one that was deleted meanwhile, and done again', async (t) => {
  const directory = temporaryDirectory(t);
  const at = (path: string): string => join(directory, path);
  const old = Array.from({ length: 40 }, (_, number) => `old-${number}.txt`);
  const fresh = Array.from({ length: 10 }, (_, number) => `new/${number}.txt`);
  const text = (path: string): string => `first\nthe text of ${path}\nthird\nfourth\nfifth\n`;
  for (const path of old) writeFileSync(at(path), text(path));
  chmodSync(at('old-0.txt'), 0o755);
  const { loom, root, turn, ask } = await stage(t, directory, [
    old.map((path) => ['read', { path }] as const),
    [
      ...old.map((path) => ['edit', { path, edits: [{ old_text: 'the text', new_text: 'THE TEXT' }] }] as const),
      ...fresh.map((path) => ['write', { path, content: `new ${path}\n` }] as const),
    ],
  ]);
  assert.ok(old.every((path) => readFileSync(at(path), 'utf8').includes('THE TEXT')));
  // The same line, another line, a new file that was written to, and one that was deleted.
  writeFileSync(at('old-1.txt'), text('old-1.txt').replace('the text', 'A person has the text'));
  writeFileSync(at('old-2.txt'), readFileSync(at('old-2.txt'), 'utf8').replace('fifth', 'fifth, says a person'));
  writeFileSync(at('new/3.txt'), 'a person goes on\n');
  rmSync(at('old-4.txt'));
  const { files } = z(await ask('turn.changes'));
  assert.equal(files.length, 50);
  const stateOf = (path: string) => files.find((file) => file['path'] === path);
  assert.partialDeepStrictEqual(stateOf('old-0.txt'), {
    kind: 'modify',
    state: 'as-left',
    restorable: true,
    added: 1,
    removed: 1,
  });
  assert.partialDeepStrictEqual(stateOf('old-1.txt'), { state: 'changed-since', restorable: false });
  assert.partialDeepStrictEqual(stateOf('old-2.txt'), { state: 'changed-since', restorable: true });
  assert.partialDeepStrictEqual(stateOf('new/0.txt'), { kind: 'add', state: 'as-left', restorable: true });
  assert.partialDeepStrictEqual(stateOf('old-4.txt'), { state: 'changed-since', restorable: false });
  const undone = z(await ask('turn.undo_files'));
  assert.deepEqual(undone.left.map(({ path }) => path).toSorted(), ['new/3.txt', 'old-1.txt', 'old-4.txt']);
  assert.match(String(undone.left.find(({ path }) => path === 'old-1.txt')?.['diff']), /\+A person has the text/);
  assert.equal(undone.restored.length, 47);
  for (const path of old.filter((name) => !/-[124]\./.test(name)))
    assert.equal(readFileSync(at(path), 'utf8'), text(path));
  assert.equal(statSync(at('old-0.txt')).mode & 0o777, 0o755);
  assert.equal(readFileSync(at('old-2.txt'), 'utf8'), text('old-2.txt').replace('fifth', 'fifth, says a person'));
  assert.equal(readFileSync(at('new/3.txt'), 'utf8'), 'a person goes on\n');
  assert.ok(!existsSync(at('new/0.txt')) && !existsSync(at('old-4.txt')));
  // One step in the log, known after a restart from it.
  const state = await loom.engine.forest.log(root).state();
  assert.equal(state.undoneFiles.get(turn)?.size, 47);
  assert.equal(z(await ask('turn.changes')).files.filter((file) => file['state'] === 'undone').length, 47);
  assert.deepEqual(z(await ask('turn.undo_files')).restored, []);
  const one = z(await ask('turn.redo_files', { paths: ['old-0.txt', 'gone.txt'] }));
  assert.deepEqual(one.restored, ['old-0.txt']);
  assert.deepEqual(
    one.left.map(({ path, reason }) => [path, reason]),
    [['gone.txt', 'nothing-to-do']],
  );
  assert.equal(z(await ask('turn.redo_files')).restored.length, 46);
  assert.ok(
    readFileSync(at('old-2.txt'), 'utf8').includes('THE TEXT') &&
      readFileSync(at('old-2.txt'), 'utf8').includes('says a person'),
  );
  assert.equal(readFileSync(at('new/0.txt'), 'utf8'), 'new new/0.txt\n');
});

test('[FU5] what a command did to files is listed with the turn, and goes back with it', async (t) => {
  const directory = temporaryDirectory(t);
  const at = (path: string): string => join(directory, path);
  writeFileSync(at('a.txt'), 'one\n');
  writeFileSync(at('b.txt'), 'b\n');
  const command = 'echo two >> a.txt; rm b.txt; echo new > c.txt';
  const { ask } = await stage(t, directory, [[['shell', { command }]]], { tools: ['shell'], approves: true });
  assert.equal(readFileSync(at('a.txt'), 'utf8'), 'one\ntwo\n');
  const { files } = z(await ask('turn.changes'));
  assert.deepEqual(
    files.map((file) => [file.path, file['kind'], file['state'], file['restorable']]),
    [
      ['a.txt', 'modify', 'as-left', true],
      ['b.txt', 'delete', 'as-left', true],
      ['c.txt', 'add', 'as-left', true],
    ],
  );
  assert.deepEqual(z(await ask('turn.undo_files')).left, []);
  assert.deepEqual([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('b.txt'), 'utf8')], ['one\n', 'b\n']);
  assert.ok(!existsSync(at('c.txt')));
});

test('[FU4] only an owner takes changes of files back, and not while the turn runs; an unknown turn is refused', async (t) => {
  const directory = temporaryDirectory(t);
  const { loom, root, turn } = await stage(t, directory, [[['write', { path: 'a', content: 'a' }]]]);
  const caller = { agent: 'guest', type: 'person' as const, role: 'writer' as const, id: 'r1', door: 'http' as const };
  const denied = await loom.engine.call('turn.undo_files', caller, { root, turn });
  assert.ok(!denied.ok && denied.refusal.reason === 'not-permitted');
  assert.ok((await loom.engine.call('turn.changes', { ...caller, role: 'reader', id: 'r2' }, { root, turn })).ok);
  const unknown = await loom.call('turn.undo_files', { root, turn: 'turn-x' });
  assert.ok(!unknown.ok && unknown.refusal.reason === 'turn-not-found');
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const waiting = scripted([[['write', { path: 'b', content: 'b' }]]], async () => {
    asked.resolve();
    await go.promise;
  });
  const second = await openLoom({ store: createMemoryStore(), dataDir: temporaryDirectory(t), providers: [waiting] });
  t.after(() => second.close());
  const created = await second.call('root.create', { config: { directory, approval_mode: 'edit' } });
  assert.ok(created.ok);
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const said = await second.call('node.append', { parent: created.value.root, messages });
  const node = said.ok ? (said.value.nodes[0] ?? '') : '';
  const started = await second.call('turn.start', { node, provider: 'scripted', model: 'm', tools: ['write'] });
  assert.ok(started.ok);
  await asked.promise;
  const live = await second.call('turn.undo_files', { root: created.value.root, turn: started.value.turns[0] ?? '' });
  assert.ok(!live.ok && live.refusal.reason === 'turn-live');
  go.resolve();
});

/** Approves the next call that asks. */
async function approveNext(loom: Loom, root: string): Promise<void> {
  for (;;) {
    const { nodes } = await loom.engine.forest.log(root).state();
    const waiting = [...nodes.values()].find(({ ask }) => ask !== undefined);
    const call = [...nodes.values()].flatMap(({ blocks }) => blocks).find(({ type }) => type === 'tool-use');
    if (waiting === undefined || call?.type !== 'tool-use') {
      await new Promise(setImmediate);
      continue;
    }
    const exact = call.arguments ?? JSON.stringify(call.parameters);
    const decided = await loom.call('turn.decide', { node: waiting.id, decision: 'approved', arguments: exact });
    assert.ok(decided.ok, JSON.stringify(decided));
    return;
  }
}

type Listed = Record<string, unknown> & { path: string };

/** Operations of other packages have no types here. */
function z(value: unknown): { files: Listed[]; restored: string[]; left: (Listed & { reason: string })[] } {
  assert.ok(typeof value === 'object' && value !== null);
  const lists = { files: [], restored: [], left: [], ...value };
  return lists;
}

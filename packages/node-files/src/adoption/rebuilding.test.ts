import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { nodeJson } from '@loom/kernel';
import type { Outcome, RootState } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { adoptDirectory } from './adopting-store.ts';
import { NodeFiles, readDirectory } from '@loom/node-files';
import type { LostLog } from '@loom/stores/files';
import { createMemoryStore } from '@loom/stores/memory';
import { FileLedger } from '../file-ledger.ts';
import { digestRootFiles, digestRootLog } from './root-digest.ts';
import { RootCounters, rootJson } from '../writing/root-json-content.ts';
import { makeDirectory, makeForest, nodeOf, photograph, stillClock } from '../testing/legacy-directory.ts';

const adopt = (directory: string, store: Store) => adoptDirectory({ store, directory, clock: stillClock });

function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
  return outcome.value;
}

let lastRequest = 0;
const request = (agent = 'person') => ({ agent, id: `request ${(lastRequest += 1)}` });
const say = async (forest: Forest, root: string, parent: string, text: string, agent?: string): Promise<string> => {
  const { created } = valueOf(
    await forest.append(request(agent), root, {
      parent,
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    }),
  );
  return created[0] ?? '';
};

/** Creates a conversation with a bit of everything that is kept in files. */
async function converse(forest: Forest): Promise<string> {
  const { root } = valueOf(await forest.createRoot(request(), { systemPrompt: 'Be brief.', extra: [1] }));
  const first = await say(forest, root, root, 'Hello, world');
  const second = await say(forest, root, first, 'Go on', 'model:x');
  const third = await say(forest, root, first, 'Or not');
  valueOf(await forest.editNode(request(), root, { node: first, content: 'Hello, you', mode: 'split' }));
  valueOf(await forest.markNode(request(), root, { node: second, title: 'Second', tags: ['a', 'b'] }));
  valueOf(await forest.markRoot(request(), root, { title: 'Talk', tags: ['c'] }));
  valueOf(await forest.bookmark(request(), root, { node: second, title: 'Mark' }));
  valueOf(await forest.remove(request(), root, { node: third, children: 'remove' }));
  return root;
}

/** Writes the files that Loom keeps beside the log of a root. */
function writeFiles(t: TestContext, state: RootState): string {
  const files: Record<string, unknown> = { [`${state.id}/root.json`]: rootJson(state, RootCounters.of(state)) };
  for (const id of state.nodes.keys())
    if (id.split('/').length === 2) files[`${state.id}/nodes/${id.split('/').at(-1)}.json`] = nodeJson(state, id);
  return makeDirectory(t, files);
}

test('[NA13] a log that is rebuilt from files says what the first one said, in a new epoch', async (t) => {
  const store = createMemoryStore();
  const forest = makeForest(store);
  const root = await converse(forest);
  let drafts = 0;
  const ask = (): { agent: string; id: string } => ({ agent: 'me', id: `d${(drafts += 1)}` });
  for (const title of ['Plan', 'Gone']) await forest.createDraft(ask(), root, { title, text: `${title} of it` });
  const gone = (await forest.log(root).state()).drafts().at(-1)?.id ?? '';
  assert.ok((await forest.removeDraft(ask(), root, gone)).ok);
  await forest.markRoot(ask(), root, { archived: true, project: 'woods' });
  const restore = (turn: string, to: 'undone' | 'done', ...paths: string[]) =>
    forest.change(ask(), root, z.null(), () => ({
      ok: true,
      ops: [{ type: 'files-undone', turn, to, files: paths.map((path) => ({ path })) }],
      value: null,
    }));
  await restore('turn-1', 'undone', 'b.ts', 'a.ts', 'c.ts');
  await restore('turn-1', 'done', 'c.ts');
  await restore('__proto__', 'undone', 'd.ts');
  await restore('turn-2', 'undone', 'e.ts');
  await restore('turn-2', 'done', 'e.ts');
  const state = await forest.log(root).state();
  const directory = writeFiles(t, state);
  const before = photograph(directory);
  const rebuilt = createMemoryStore();
  const { problems } = await adopt(directory, rebuilt);
  assert.deepEqual(problems, []);
  assert.deepEqual(photograph(directory), before);
  const again = await makeForest(rebuilt).log(root).state();
  assert.deepEqual(digestRootLog(again), digestRootLog(state));
  assert.deepEqual(
    [again.drafts().map(({ title }) => title), again.archived, again.project],
    [['Plan'], true, 'woods'],
  );
  const undone = [...again.undoneFiles].map(([turn, paths]) => [turn, [...paths].toSorted()]);
  assert.deepEqual(undone, [
    ['turn-1', ['a.ts', 'b.ts']],
    ['__proto__', ['d.ts']],
  ]);
  for (const [id, node] of state.nodes) {
    const [was, is] = [nodeJson(state, id), nodeJson(again, id)];
    assert.deepEqual(is?.child_ids, was?.child_ids);
    assert.deepEqual(is?.metadata.timestamp, was?.metadata.timestamp);
    const record = (blocks: typeof node.blocks) =>
      blocks.map(({ block_id, status, agent, from }) => ({ block_id, status, agent, from }));
    assert.deepEqual(record(again.nodes.get(id)?.blocks ?? []), record(node.blocks));
  }
  assert.deepEqual([again.title, again.tags, [...again.bookmarks]], [state.title, state.tags, [...state.bookmarks]]);
  assert.equal(again.created, state.created);
  assert.notEqual((await rebuilt.read(root, 0))?.epoch, (await store.read(root, 0))?.epoch);
  // The files name changes of the first log, and must be written again.
  assert.equal((await FileLedger.load(rebuilt, root)).get('nodes/node-1.json')?.seq, 0);
});

test('[NA13] what root.json says counts more than roots.json, which may be gone or wrong', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const directory = writeFiles(t, await forest.log(root).state());
  writeFileSync(
    join(directory, 'roots.json'),
    JSON.stringify([{ id: root, config: { systemPrompt: 'Wrong' }, child_ids: [] }]),
  );
  const store = createMemoryStore();
  assert.deepEqual((await adopt(directory, store)).problems, []);
  assert.equal((await makeForest(store).log(root).state()).config.systemPrompt, 'Be brief.');
});

test('[NA14] ids that the first log gave out are not given out by the second, also of agents without a block left', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const given = new Set<string>();
  const note = (state: RootState) => {
    for (const id of [...state.nodes.keys(), ...state.nodeOfBlock.keys()]) given.add(id);
  };
  const state = await forest.log(root).state();
  note(state);
  const directory = writeFiles(t, state);
  // The log continues, and its last changes never reach the files.
  const lost = await say(forest, root, `${root}/node-2`, 'lost');
  note(await forest.log(root).state());
  const store = createMemoryStore();
  await adopt(directory, store);
  const second = makeForest(store);
  const added = await say(second, root, `${root}/node-2`, 'other words');
  const { blocks = [] } = (await second.log(root).state()).nodes.get(added) ?? {};
  assert.ok(given.has(lost));
  for (const id of [added, ...blocks.map(({ block_id }) => block_id ?? '')]) assert.equal(given.has(id), false, id);
  assert.ok(Number(added.split('-').at(-1)) > 1_000_000);

  const counted = {
    ...rootJson(state, RootCounters.of(state)),
    id: 'root-9',
    counters: { node: 5, blocks: { gone: 7 } },
  };
  const other = makeDirectory(t, { 'root-9/root.json': counted });
  const third = createMemoryStore();
  await adopt(other, third);
  const words = await say(makeForest(third), 'root-9', 'root-9', 'mine', 'gone');
  const block = (await makeForest(third).log('root-9').state()).nodes.get(words)?.blocks[0]?.block_id;
  assert.ok(Number(block?.split('/').at(-1)) > 1_000_007);
});

test('[NA14] what was planted is found: without the jump an id is given out again', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const directory = writeFiles(t, await forest.log(root).state());
  const lost = await say(forest, root, `${root}/node-2`, 'lost');
  const whole = createMemoryStore();
  await adopt(directory, whole);
  const store = createMemoryStore();
  for (const log of await whole.logs()) {
    const records = (await whole.read(log, 0))?.records.filter(({ text }) => !text.includes('"adopt:counters"')) ?? [];
    await store.append(log, { epoch: undefined, expectedSeq: 0, records });
  }
  assert.equal(await say(makeForest(store), root, `${root}/node-2`, 'other words'), lost);
});

test('[NA14] a directory that is rebuilt twice still counts on', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const first = createMemoryStore();
  await adopt(writeFiles(t, await forest.log(root).state()), first);
  const added = await say(makeForest(first), root, `${root}/node-2`, 'more');
  const second = createMemoryStore();
  await adopt(writeFiles(t, await makeForest(first).log(root).state()), second);
  const next = await say(makeForest(second), root, added, 'and more');
  assert.ok(Number(next.split('-').at(-1)) > Number(added.split('-').at(-1)) + 1_000_000);
});

test('[NA15] a block id that two files claim is kept by one', async (t) => {
  const block = { type: 'text', text: 'a', block_id: 'root-1/@person/1', status: 'done' };
  const current = (name: string) =>
    nodeOf(`root-1/${name}`, 'root-1', [], {
      message: { role: 'user', content: [block] },
      metadata: { format: 1, seq: 4 },
    });
  const directory = makeDirectory(t, {
    'root-1/nodes/node-1.json': current('node-1'),
    'root-1/nodes/node-2.json': current('node-2'),
    // An older file whose own blocks would have the same names.
    'root-1/nodes/person.json': nodeOf('root-1/person', 'root-1', [], {
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'b' },
          { type: 'text', text: 'c' },
        ],
      },
    }),
  });
  const store = createMemoryStore();
  await adopt(directory, store);
  const { nodes } = await makeForest(store).log('root-1').state();
  const ids = ['node-1', 'node-2', 'person'].map((name) =>
    nodes.get(`root-1/${name}`)?.blocks.map(({ block_id }) => block_id),
  );
  assert.deepEqual(ids, [['root-1/@person/1'], ['root-1/@importer/1'], ['root-1/@person/0', 'root-1/@importer/2']]);
});

test('[NA16] nodes and roots of a newer format are reported, not adopted and not changed', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const directory = writeFiles(t, await forest.log(root).state());
  const newer = (path: string) => {
    const file = join(directory, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format": 2', '"format": 1000'));
  };
  newer(`${root}/nodes/node-2.json`);
  let before = photograph(directory);
  const partly = createMemoryStore();
  assert.deepEqual(
    (await adopt(directory, partly)).problems.map(({ code }) => code),
    ['node-format-newer'],
  );
  assert.equal((await makeForest(partly).log(root).state()).nodes.has(`${root}/node-2`), false);
  assert.deepEqual(photograph(directory), before);

  newer(`${root}/root.json`);
  before = photograph(directory);
  const store = createMemoryStore();
  assert.deepEqual(
    (await adopt(directory, store)).problems.map(({ code }) => code),
    ['root-format-newer'],
  );
  assert.deepEqual(await makeForest(store).roots(), []);
  assert.deepEqual(photograph(directory), before);
});

test('[NA16] files of a newer format also stay when the rest of a rebuilt directory is written', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const directory = writeFiles(t, await forest.log(root).state());
  const node = join(directory, root, 'nodes/node-2.json');
  const list = join(directory, 'roots.json');
  writeFileSync(node, readFileSync(node, 'utf8').replace('"format": 2', '"format": 1000'));
  writeFileSync(list, '{"format": 1000, "roots": []}');
  const before = [readFileSync(node, 'utf8'), readFileSync(list, 'utf8')];
  const store = createMemoryStore();
  const { problems } = await adopt(directory, store);
  assert.deepEqual(problems.map(({ code }) => code).toSorted(), ['node-format-newer', 'root-format-newer']);
  const rebuilt = makeForest(store);
  assert.deepEqual(await rebuilt.roots(), [root]);
  const told: string[] = [];
  const files = await NodeFiles.open({
    directory,
    forest: rebuilt,
    store,
    clock: stillClock,
    report: (report) => {
      if (report.type === 'newer') told.push(report.file);
    },
  });
  await files.checkRoot(root);
  const first = readFileSync(join(directory, root, 'nodes/node-1.json'), 'utf8');
  await files.close();
  assert.notEqual(readFileSync(join(directory, root, 'nodes/node-1.json'), 'utf8'), first);
  assert.deepEqual([readFileSync(node, 'utf8'), readFileSync(list, 'utf8')], before);
  assert.deepEqual(told.toSorted(), [`${root}/nodes/node-2.json`, 'roots.json']);
});

test('[NA13] what was planted is found: files that say something else have another digest', async (t) => {
  const forest = makeForest();
  const root = await converse(forest);
  const state = await forest.log(root).state();
  const directory = writeFiles(t, state);
  const digest = async () => {
    const found = (await readDirectory(directory)).roots[0];
    assert.ok(found !== undefined);
    return digestRootFiles(found);
  };
  assert.deepEqual(await digest(), digestRootLog(state));
  const file = join(directory, root, 'nodes/node-2.json');
  const text = readFileSync(file, 'utf8');
  for (const [from, to] of [
    ['Go on', 'Go off'],
    ['"Second"', '"2nd"'],
    ['"a"', '"z"'],
  ] as const) {
    writeFileSync(file, text.replace(from, to));
    assert.notDeepEqual(await digest(), digestRootLog(state), to);
  }
  rmSync(file);
  assert.notDeepEqual(await digest(), digestRootLog(state));
});

test('[NA29] a process that rebuilds a log is told which change its files were made of; older files are of no log', async (t) => {
  const forest = makeForest(createMemoryStore());
  const root = await converse(forest);
  const directory = writeFiles(t, await forest.log(root).state());
  const { seq } = await forest.log(root).cursor();
  const told: LostLog[] = [];
  const lost = (one: LostLog): void => void told.push(one);
  const store = createMemoryStore();
  await adoptDirectory({ store, directory, clock: stillClock, lost });
  assert.deepEqual(told.splice(0), [{ log: root, seq, end: 0 }]);
  await adoptDirectory({ store, directory, clock: stillClock, lost });
  const older = makeDirectory(t, { 'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', []) });
  await adoptDirectory({ store: createMemoryStore(), directory: older, clock: stillClock, lost });
  assert.deepEqual(told, []);
});

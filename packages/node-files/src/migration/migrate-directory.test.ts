import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findCorpus } from '@loom/blocks/testing/corpus';
import { passOn } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { adoptDirectory } from '../adoption/adopting-store.ts';
import { migrateDirectory, readDirectory } from '@loom/node-files';
import type { MigrationReport } from '@loom/node-files';
import { machineFiles } from '@loom/stores/disk';
import { createMemoryStore } from '@loom/stores/memory';
import { FileLedger, sumOf } from '../file-ledger.ts';
import { digestRootLog } from '../adoption/root-digest.ts';
import { makeDirectory, makeForest, nodeOf, photograph, rootOf, stillClock } from '../testing/legacy-directory.ts';

const corpus = findCorpus('loom');

const older: Record<string, unknown> = {
  'config.toml': '# mine\n',
  'roots.json': [rootOf('root-1', ['root-1/node-1']), rootOf('root-2', [], { deleted: true })],
  'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', ['root-1/node-2', 'root-1/node-4']),
  'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1/node-1', [], {
    message: { role: 'assistant', content: ' as it is \n' },
    metadata: { tags: ['t'], odd: [1] },
  }),
  'root-1/nodes/node-4.json': nodeOf('root-1/node-4', 'root-1/node-1', []),
  'root-1/nodes/node-1.json.backup-migration-node-1': 'old',
};

async function migrate(directory: string, store: Store = createMemoryStore()): Promise<MigrationReport> {
  const result = await migrateDirectory({ directory, store, clock: stillClock });
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.report;
}

async function refusalOf(directory: string, store: Store = createMemoryStore(), backup?: string): Promise<string> {
  const more = backup === undefined ? {} : { backup };
  const result = await migrateDirectory({ directory, store, clock: stillClock, ...more });
  assert.ok(!result.ok);
  return result.refusal.reason;
}

const readAll = (directory: string) =>
  new Map(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(directory.length + 1), readFileSync(file, 'utf8')]),
  );

test('[NA18] [NA19] every node is written in the current format, and the copy holds what was there', async (t) => {
  const directory = makeDirectory(t, older);
  const before = readAll(directory);
  const store = createMemoryStore();
  const report = await migrate(directory, store);
  assert.deepEqual([report.roots, report.nodes, report.written.length, report.left], [2, 3, 5, []]);
  assert.deepEqual(readAll(report.backup ?? ''), before);
  const after = readAll(directory);
  for (const [path, text] of before) {
    const isNode = /nodes\/[^/]*\.json$/.test(path);
    assert.equal(after.get(path) === text, !isNode, path);
  }
  assert.deepEqual([...after.keys()].filter((path) => !before.has(path)).toSorted(), [
    'root-1/root.json',
    'root-2/root.json',
  ]);
  assert.deepEqual(readdirSync(dirname(directory)).length, 2);

  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['file-ignored'],
  );
  assert.ok(
    roots.every(({ nodes, current }) => current !== undefined && nodes.every((node) => node.current !== undefined)),
  );
  const rebuilt = createMemoryStore();
  await adoptDirectory({ store: rebuilt, directory, clock: stillClock });
  for (const root of ['root-1', 'root-2']) {
    const [was, is] = [await makeForest(store).log(root).state(), await makeForest(rebuilt).log(root).state()];
    assert.deepEqual(digestRootLog(is), digestRootLog(was));
  }
  const blocks = (await makeForest(rebuilt).log('root-1').state()).nodes.get('root-1/node-2')?.blocks;
  assert.equal(blocks?.[0]?.block_id, 'root-1/@node-2/0');
});

test('[NA19] migrating again finds nothing to do, and the ledger knows the new files', async (t) => {
  const directory = makeDirectory(t, older);
  const store = createMemoryStore();
  await migrate(directory, store);
  const before = photograph(directory);
  const again = await migrate(directory, store);
  assert.deepEqual([again.written, again.backup], [[], undefined]);
  assert.deepEqual(photograph(directory), before);
  const entry = (await FileLedger.load(store, 'root-1')).get('nodes/node-2.json');
  assert.equal(entry?.sum, sumOf(readFileSync(join(directory, 'root-1/nodes/node-2.json'))));
});

test('[NA6] [NA31] what a process has adopted that was killed before it noted the files is migrated; an edited file is not', async (t) => {
  for (const isEdited of [false, true]) {
    const directory = makeDirectory(t, older);
    const store = createMemoryStore();
    const dying: Store = { ...passOn(store), writeProjection: () => Promise.reject(new Error('killed')) };
    await assert.rejects(adoptDirectory({ store: dying, directory, clock: stillClock }), /killed/u);
    const edited = join(directory, 'root-1/nodes/node-4.json');
    if (isEdited) writeFileSync(edited, readFileSync(edited, 'utf8').replace('I am root-1/node-4', 'edited'));
    const result = await migrateDirectory({ directory, store, clock: stillClock });
    if (isEdited) {
      assert.ok(!result.ok);
      assert.deepEqual(result.refusal.files, ['root-1/nodes/node-4.json']);
      assert.match(result.refusal.message, /^1 file was changed, and the log does not know of it$/u);
    } else assert.ok(result.ok && result.report.written.length > 0);
  }
});

test('[NA19] what was edited since it was adopted is written as the log has it', async (t) => {
  const directory = makeDirectory(t, older);
  const store = createMemoryStore();
  await adoptDirectory({ store, directory, clock: stillClock });
  const edited = await makeForest(store).editNode({ agent: 'person', id: 'e' }, 'root-1', {
    node: 'root-1/node-4',
    content: [{ type: 'text', text: 'edited' }],
  });
  assert.ok(edited.ok);
  await migrate(directory, store);
  assert.match(readFileSync(join(directory, 'root-1/nodes/node-4.json'), 'utf8'), /"text": "edited"/);
});

test('[NA20] a dry run says what would be done and changes nothing', async (t) => {
  const directory = makeDirectory(t, older);
  const above = photograph(dirname(directory));
  const result = await migrateDirectory({ directory, store: createMemoryStore(), clock: stillClock, dryRun: true });
  assert.ok(result.ok);
  assert.equal(result.report.written.length, 5);
  assert.equal(result.report.backup, `${directory}.backup-1970-01-01T00-00-00-000Z`);
  assert.deepEqual(photograph(dirname(directory)), above);
});

test('[NA19] files that cannot be read stay as they are and are reported', async (t) => {
  const directory = makeDirectory(t, { ...older, 'root-1/nodes/node-9.json': '{ torn', 'root-1/nodes/old.json': '[]' });
  const { unreadable, backup } = await migrate(directory);
  assert.deepEqual(unreadable.map(({ code }) => code).toSorted(), ['node-json-invalid', 'node-shape-invalid']);
  assert.equal(readFileSync(join(directory, 'root-1/nodes/node-9.json'), 'utf8'), '{ torn');
  assert.equal(readFileSync(join(backup ?? '', 'root-1/nodes/node-9.json'), 'utf8'), '{ torn');
});

test('[NA22] newer formats, unknown edits and a copy inside are refused, and nothing is changed', async (t) => {
  const newer = nodeOf('root-1/node-9', 'root-1', [], { metadata: { format: 1000 } });
  const withNewer = makeDirectory(t, { ...older, 'root-1/nodes/node-9.json': newer });
  let before = photograph(dirname(withNewer));
  assert.equal(await refusalOf(withNewer), 'format-newer');
  assert.deepEqual(photograph(dirname(withNewer)), before);

  const directory = makeDirectory(t, older);
  const store = createMemoryStore();
  await adoptDirectory({ store, directory, clock: stillClock });
  const file = join(directory, 'root-1/nodes/node-4.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('I am', 'I was'));
  before = photograph(dirname(directory));
  assert.equal(await refusalOf(directory, store), 'files-changed');
  assert.equal(await refusalOf(directory, createMemoryStore(), join(directory, 'copy')), 'backup-inside');
  assert.deepEqual(photograph(dirname(directory)), before);
});

test('[NA23] what was planted is found: new files that say something else are never put in place', async (t) => {
  const plants: [string, (text: string) => string][] = [
    ['another word', (text) => text.replace('I am', 'I was')],
    ['another id', (text) => text.replace('"root_id": "root-1"', '"root_id": "root-2"').replace('node-2"', 'node-4"')],
    ['a lost tag', (text) => text.replace('"t"', '"u"')],
    ['a torn file', (text) => text.slice(0, -2)],
  ];
  for (const [what, plant] of plants) {
    const directory = makeDirectory(t, older);
    const before = photograph(directory);
    const files = {
      ...machineFiles,
      open: async (path: string, how: 'create' | 'change') => {
        const file = await machineFiles.open(path, how);
        if (!path.includes('.migration/')) return file;
        const write = async (bytes: Uint8Array, position: number): Promise<number> => {
          await file.write(Buffer.from(plant(Buffer.from(bytes).toString())), position);
          return bytes.length;
        };
        return { ...file, write };
      },
    };
    const result = await migrateDirectory({ directory, store: createMemoryStore(), clock: stillClock, files });
    assert.equal(!result.ok && result.refusal.reason, 'not-verified', what);
    assert.deepEqual([...photograph(directory).keys()], [...before.keys()], what);
    assert.equal(existsSync(`${directory}.migration`), false);
    for (const [path, picture] of photograph(directory))
      assert.equal(path.includes('.') ? picture : '', path.includes('.') ? before.get(path) : '', what);
  }
});

test(
  '[NA19] every directory of the corpus is migrated and verified',
  { skip: corpus.found ? false : corpus.reason },
  async (t) => {
    const home = corpus.found ? corpus.directory : '';
    let nodes = 0;
    for (const part of ['generated', 'test-fixtures']) {
      for (const name of readdirSync(join(home, part))) {
        const directory = copyOf(t, join(home, part, name));
        const store = createMemoryStore();
        nodes += (await migrate(directory, store)).nodes;
        const rebuilt = createMemoryStore();
        await adoptDirectory({ store: rebuilt, directory, clock: stillClock });
        for (const root of await makeForest(store).roots()) {
          const [was, is] = [await makeForest(store).log(root).state(), await makeForest(rebuilt).log(root).state()];
          assert.deepEqual(digestRootLog(is), digestRootLog(was), `${name}/${root}`);
        }
      }
    }
    assert.ok(nodes >= 92);
  },
);

function copyOf(t: TestContext, directory: string): string {
  const copy = makeDirectory(t, {});
  mkdirSync(copy, { recursive: true });
  cpSync(directory, copy, { recursive: true });
  return copy;
}

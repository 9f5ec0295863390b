import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { findStore } from '@loom/data-folder';
import { withReader, withWriter } from '../../runtime/opened-folder.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { runInside } from '../../testing/fake-terminal.ts';
import { ForestFolder, jsonLines } from '../../testing/forest-folder.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

/** Returns the kind of store a folder has, by its files. */
function storeIn(dataDir: string): StoreKind | 'both' | undefined {
  const [database, files] = [existsSync(join(dataDir, 'loom.db')), existsSync(join(dataDir, 'forest/log.jsonl'))];
  if (database && files) return 'both';
  return database ? 'sqlite' : files ? 'files' : undefined;
}

/** Returns every file below a folder with its bytes and time, but for the lock. */
function photograph(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.includes('loom.lock'),
  );
  const paths = names.toSorted().map((name) => join(folder, name));
  return new Map(
    paths.map((path) => {
      const status = statSync(path);
      return [path, `${status.mtimeMs} ${status.isFile() ? readFileSync(path, 'hex') : ''}`];
    }),
  );
}

test('[KS1] a new folder gets the store that is asked for, and what is there decides from then on', async (context) => {
  const asked = { flag: 'files', env: 'files', config: 'files', 'flag over all': 'files', nothing: 'sqlite' } as const;
  for (const [how, expected] of Object.entries(asked)) {
    const dataDir = join(temporaryDirectory(context), 'data');
    const run = (env: Record<string, string>, ...args: string[]) =>
      runInside([...args, '--data-dir', dataDir], { env });
    if (how === 'config') await run({}, 'config', 'set', 'store', 'files');
    if (how === 'flag over all') await run({}, 'config', 'set', 'store', 'sqlite');
    const env: Record<string, string> = how === 'env' ? { LOOM_STORE: ' files ' } : { LOOM_STORE: ' ' };
    const flag = how.startsWith('flag') ? ['--store', 'files'] : [];
    assert.equal((await run(env, 'chat', '-p', 'echo hello', ...flag)).code, 0);
    assert.equal(storeIn(dataDir), expected, how);
    const other = expected === 'files' ? 'sqlite' : 'files';
    assert.equal((await run({ LOOM_STORE: other }, 'chat', '-c', '-p', 'echo hello', '--store', other)).code, 0);
    assert.equal(storeIn(dataDir), expected, `${how}: what is there decides`);
  }
});

test('[KS1] another word for a store is refused, wherever it stands', async (context) => {
  const folder = new ForestFolder(context);
  const refused = [
    await folder.run(['ls', '--store', 'fils']),
    await folder.run(['config', 'set', 'store', 'database']),
    await runInside(['ls', '--data-dir', folder.dataDir], { env: { LOOM_STORE: 'x' } }),
  ];
  for (const { code, note } of refused) {
    assert.equal(code, 2);
    assert.match(note, /must be "?sqlite"?(?: or|,) "?files"?(?: or postgres:\/\/…)?, not "/u);
  }
  assert.equal(existsSync(folder.dataDir), false);
  const env = { LOOM_STORE: 'files' };
  const { out } = await runInside(['config', '--data-dir', folder.dataDir], { env });
  assert.match(out, /^store = "files" +# LOOM_STORE$/mu);
});

test('[KS1] what was begun in files goes on there, also if the list of conversations was never written', async (context) => {
  const folder = new ForestFolder(context, 'files');
  await folder.say('echo hello');
  rmSync(join(folder.dataDir, 'forest'), { recursive: true });
  assert.equal((await runInside(['ls', '--data-dir', folder.dataDir])).code, 0);
  assert.equal((await runInside(['chat', '-p', 'echo hi', '--data-dir', folder.dataDir])).code, 0);
  assert.equal(storeIn(folder.dataDir), 'files');
});

test('[KS2] a folder with two stores is refused by all, with what to do, and nothing is changed', async (context) => {
  const [files, database] = [new ForestFolder(context, 'files'), new ForestFolder(context)];
  await files.say('echo hello');
  await database.say('echo hello');
  cpSync(join(database.dataDir, 'loom.db'), join(files.dataDir, 'loom.db'));
  const before = photograph(files.dataDir);
  for (const args of [
    ['ls'],
    ['chat', '-p', 'echo hello'],
    ['doctor'],
    ['du'],
    ['backup', join(files.dataDir, '../b')],
  ]) {
    const { code, note } = await files.run(args);
    assert.equal(code, 1, args.join(' '));
    assert.match(note, /holds two stores[\s\S]*Move one of them/u);
  }
  assert.deepEqual(photograph(files.dataDir), before);
  // A first opening that was cut short leaves an empty database.
  writeFileSync(join(files.dataDir, 'loom.db'), '');
  assert.match(await files.succeed(['ls']), /hello/u);
});

test('[KS3] [KS7] every command says the same with either store, and with files no database is made', async (context) => {
  const printed = new Map<StoreKind, string[]>();
  for (const store of STORE_KINDS) {
    const folder = new ForestFolder(context, store);
    const { root } = await folder.say('echo one\ntwo\nthree');
    await folder.say('echo four', '--continue');
    const patch = ['--- a', '+++ b', '@@ -1,2 +1,2 @@', '-ONE', '+eins', ' two', ''].join('\n');
    const lines: string[][] = [
      ['edit-lines', 'node-2', '--replace', '0:1', '--with', 'ONE'],
      ['history', 'node-2'],
      ['undo', 'node-2'],
      ['redo', 'node-2'],
      ['patch', 'node-2', '-'],
      ['read', 'node-2'],
      ['diff', 'node-2', 'node-4'],
      ['edit', 'node-3', 'echo 4'],
      ['bookmark', 'add', 'node-4', 'here'],
      ['bookmark'],
      ['search', 'two'],
      ['show', 'node-4'],
      ['rm', 'node-3'],
      ['tree'],
      ['restore', 'node-3'],
      ['tree'],
      ['ls'],
      ['doctor'],
      ['migrate', '--dry-run'],
    ];
    const said: string[] = [];
    for (const args of lines) {
      const { code, out, note } = await folder.run(args, { input: patch });
      said.push(
        `${args.join(' ')}: ${code} ${out}${note}`
          .replaceAll(root, 'ROOT')
          .replaceAll(folder.dataDir, 'DATA')
          // The second folder is filled later.
          .replaceAll(/\d\d:\d\d(?::\d\d)?|just now|\d+ \w+ ago/gu, 'TIME')
          .replace(/backup-[\dTZ-]+/u, 'BACKUP'),
      );
    }
    printed.set(store, said);
    assert.equal(storeIn(folder.dataDir), store);
    const names = readdirSync(folder.dataDir, { recursive: true, encoding: 'utf8' });
    if (store === 'files') assert.ok(!names.some((name) => name.includes('loom.db')), names.join(' '));
    const { parts } = z
      .looseObject({ parts: z.record(z.string(), z.number()) })
      .parse(JSON.parse(await folder.succeed(['du', '--json'])));
    assert.ok((parts['log'] ?? 0) > 1000 && (parts['node_files'] ?? 0) > 1000, JSON.stringify(parts));
  }
  assert.deepEqual(printed.get('files'), printed.get('sqlite'));
});

test('[KS7] with many conversations in files the search does without an index', async (context) => {
  const folder = new ForestFolder(context, 'files');
  await withWriter({ dataDir: folder.dataDir, store: 'files', files: false }, async ({ call }) => {
    for (let number = 0; number < 55; number += 1) {
      await call('root.create', { config: { systemPrompt: `number ${number}` } });
    }
  });
  await folder.say('echo a needle');
  assert.match(await folder.succeed(['search', 'needle']), /a needle/u);
  assert.deepEqual(
    readdirSync(folder.dataDir).filter((name) => name.startsWith('loom.db')),
    [],
  );
});

test('[KS4] commands that only read change nothing, need no permission to, and see no half of a write', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const { root } = await folder.say('echo hello');
  const tree = await folder.succeed(['tree']);
  const backup = (name: string): string => join(dirname(folder.dataDir), name);
  appendFileSync(join(folder.dataDir, root, 'log.jsonl'), '{"crc":"00000000","seq":');
  const before = photograph(folder.dataDir);
  const looks = [
    ['ls'],
    ['tree'],
    ['show', 'node-2'],
    ['read', 'node-2'],
    ['history', 'node-2'],
    ['search', 'hello'],
    ['du'],
  ];
  const lookAll = async (name: string): Promise<void> => {
    for (const args of [...looks, ['backup', backup(name)]]) await folder.succeed(args);
    assert.equal(await folder.succeed(['tree']), tree);
  };
  await lookAll('one');
  // While another process has the lock, too.
  await withWriter({ dataDir: folder.dataDir, files: false }, () => lookAll('two'));
  chmodSync(folder.dataDir, 0o500);
  try {
    await lookAll('three');
  } finally {
    chmodSync(folder.dataDir, 0o700);
  }
  assert.deepEqual(photograph(folder.dataDir), before);
  assert.deepEqual(
    [...photograph(folder.dataDir).keys()].filter((name) => name.includes('.torn-')),
    [],
  );
});

test('[KS4] a reader that stays sees what another process has written since', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const { root } = await folder.say('echo hello');
  await withReader({ dataDir: folder.dataDir }, async ({ store }) => {
    const before = (await store.read(root, 0))?.records.at(-1)?.seq ?? 0;
    await folder.say('echo more', '--continue');
    const after = (await store.read(root, 0))?.records.at(-1)?.seq ?? 0;
    assert.ok(before > 0 && after > before, `${before} ${after}`);
  });
});

test('[KS5] a write that was cut short is put aside by the next writer, which says so', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const { root } = await folder.say('echo hello');
  const tree = await folder.succeed(['tree']);
  const log = join(folder.dataDir, root, 'log.jsonl');
  appendFileSync(log, '{"crc":"00000000","seq":');
  const told: string[] = [];
  await withWriter(
    {
      dataDir: folder.dataDir,
      news: (news) => {
        if (news.type === 'torn-write') told.push(`${news.torn.log} ${news.torn.bytes} ${news.torn.kept}`);
      },
    },
    async (loom) => {
      await loom.open(root);
      await loom.call('node.append', {
        parent: `${root}/node-2`,
        messages: [{ role: 'user', content: 'go on' }],
      });
    },
  );
  const [kept = ''] = readdirSync(dirname(log)).filter((name) => name.includes('.torn-'));
  assert.deepEqual(told, [`${root} 24 ${join(dirname(log), kept)}`]);
  assert.equal(readFileSync(join(dirname(log), kept), 'utf8'), '{"crc":"00000000","seq":');
  const after = await folder.succeed(['tree']);
  assert.ok(after.startsWith(tree.trimEnd()) && /go on/u.test(after), after);
  jsonLines(readFileSync(log, 'utf8'));
});

test('[KS8] an acknowledged change whose file was damaged is not passed over: it is refused, and named by doctor', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const { root } = await folder.say('echo hello');
  await folder.succeed(['chat', '--continue', '-p', 'echo hello again']);
  await folder.succeed(['bookmark', 'add', `${root}/node-2`, 'The last thing said']);
  const log = join(folder.dataDir, root, 'log.jsonl');
  const whole = readFileSync(log, 'utf8');
  for (const damage of [whole.replace('The last thing', 'The lost thing'), whole.slice(0, -1)]) {
    assert.notEqual(damage, whole);
    writeFileSync(log, damage);
    const shown = await folder.run(['show', root]);
    assert.deepEqual([shown.code, shown.out], [1, '']);
    assert.match(shown.note, /was acknowledged\nNothing was changed/u);
    const examined = await folder.run(['doctor']);
    assert.deepEqual([examined.code, readFileSync(log, 'utf8')], [1, damage]);
    assert.match(examined.out, new RegExp(`^broken log ${root}: .* was acknowledged`, 'mu'));
  }
  rmSync(`${log}.acknowledged`);
  assert.match(await folder.succeed(['show', root]), /hello again/u);
  // Once the last change is done without, as was advised, doctor names the data derived from it, and is content.
  assert.match(
    await folder.succeed(['doctor']),
    new RegExp(`^mended snapshot ${root}: it ends at change \\d+, but`, 'mu'),
  );
  assert.doesNotMatch(await folder.succeed(['doctor']), /it ends at change/u);
});

test('[KS8] conversations are listed again when their list was deleted', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const { root } = await folder.say('echo hello');
  const log = readFileSync(join(folder.dataDir, root, 'log.jsonl'), 'utf8');
  rmSync(join(folder.dataDir, 'forest'), { recursive: true });
  assert.match(await folder.succeed(['ls']), new RegExp(`^${root} `, 'mu'));
  await folder.succeed(['chat', '--continue', '-p', 'echo more']);
  assert.match(await folder.succeed(['show', root]), /hello[^]*more/u);
  assert.ok(readFileSync(join(folder.dataDir, root, 'log.jsonl'), 'utf8').includes(log.split('\n')[1] ?? ''));
  assert.equal((await folder.run(['doctor'])).code, 0);
});

test('[KS6] moved to files and back everything is equal, by the hash of every log', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['demo']);
  const place = (name: string): string => join(dirname(folder.dataDir), name);
  const move = async (from: string, to: string, store: StoreKind): Promise<unknown[]> => {
    const archive = place(`${to}.jsonl`);
    await folder.succeed(['export-store', archive, '--data-dir', place(from)]);
    await folder.succeed(['import-store', archive, '--data-dir', place(to), '--store', store]);
    assert.equal(storeIn(place(to)), store);
    return hashesIn(readFileSync(archive, 'utf8'));
  };
  const first = await move('data', 'in-files', 'files');
  const second = await move('in-files', 'back', 'sqlite');
  await folder.succeed(['export-store', place('last.jsonl'), '--data-dir', place('back')]);
  assert.equal(first.length, 4);
  assert.deepEqual(second, first);
  assert.deepEqual(hashesIn(readFileSync(place('last.jsonl'), 'utf8')), first);
  const tree = await folder.succeed(['tree']);
  for (const name of ['in-files', 'back'])
    assert.equal(await folder.succeed(['tree', '--data-dir', place(name)]), tree);
  await folder.succeed(['restore-backup', place('last.jsonl'), '--data-dir', place('fresh'), '--store', 'files']);
  assert.equal(storeIn(place('fresh')), 'files');
  assert.equal(await folder.succeed(['tree', '--data-dir', place('fresh')]), tree);
  // In place: the former data is kept beside it. Without --store the kind of store stays.
  await folder.succeed(['restore-backup', place('last.jsonl'), '--replace', '--store', 'files']);
  assert.equal(storeIn(folder.dataDir), 'files');
  await runInside(['restore-backup', place('last.jsonl'), '--replace', '--data-dir', folder.dataDir]);
  assert.equal(storeIn(folder.dataDir), 'files');
  assert.match(await folder.succeed(['doctor']), /all is well/u);
});

/** Returns the end of every log and the hash of its contents. */
function hashesIn(archive: string): unknown[] {
  const line = z.looseObject({ type: z.string(), seq: z.number().optional(), hash: z.string().optional() });
  const lines = jsonLines(archive).map((value) => line.parse(value));
  return lines.filter(({ type }) => type === 'log-end').map(({ seq, hash }) => ({ seq, hash }));
}

test('[KS1] the folder of an older Loom is adopted into files, and its files stay as they are', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const nodes = join(folder.dataDir, 'root-1/nodes');
  mkdirSync(nodes, { recursive: true });
  const node = {
    id: 'root-1/node-1',
    root_id: 'root-1',
    parent_id: 'root-1',
    child_ids: [],
    message: { role: 'user', content: 'What is it?' },
    metadata: { timestamp: '2025-07-01T00:00:00.000Z', original_root_id: 'root-1', source_info: { type: 'user' } },
  };
  writeFileSync(join(nodes, 'node-1.json'), JSON.stringify(node));
  // Of another program, which makes no store of the folder.
  writeFileSync(join(nodes, '../log.jsonl'), '{"event":"started"}\n');
  assert.equal(await findStore(folder.dataDir), undefined);
  rmSync(join(nodes, '../log.jsonl'));
  const before = readFileSync(join(nodes, 'node-1.json'), 'utf8');
  assert.match(await folder.succeed(['ls']), /What is it\?/u);
  assert.equal(storeIn(folder.dataDir), undefined, 'looking makes no store');
  await folder.say('echo hello');
  assert.equal(storeIn(folder.dataDir), 'files');
  assert.match(await folder.succeed(['show', 'root-1/node-1']), /What is it\?/u);
  assert.equal(readFileSync(join(nodes, 'node-1.json'), 'utf8'), before);
});

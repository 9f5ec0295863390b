import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { openSqliteStore } from '@loom/stores/sqlite';
import { writeArchive } from '../../archive/archive-file.ts';
import { verifyFile } from '../../archive/export-lines.ts';
import { writeImportedFiles } from '../../archive/imported-files.ts';
import { describeBytes, Progress } from '../../terminal/progress.ts';
import { nodeDisk, type Disk } from '@loom/data-folder/files';
import { temporaryName } from '@loom/stores/disk';
import { listIds } from '../../runtime/conversations.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { ForestFolder, wordsOf } from '../../testing/forest-folder.ts';

/** A folder with a conversation, and a place beside it. */
async function talkedIn(context: TestContext): Promise<{ folder: ForestFolder; place: (name: string) => string }> {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  return { folder, place: (name) => join(dirname(folder.dataDir), name) };
}

/** Runs commands on another folder in the same place. */
function beside(folder: ForestFolder, name: string): (args: readonly string[]) => Promise<string> {
  return (args) => folder.succeed([...args, '--data-dir', join(dirname(folder.dataDir), name)]);
}

async function epochsOf(directory: string): Promise<Map<string, string>> {
  const store = await openSqliteStore({ directory });
  const epochs = new Map<string, string>();
  for (const log of await store.logs()) epochs.set(log, (await store.read(log, 0, 1))?.epoch ?? '');
  await store.close();
  return epochs;
}

/** Returns the files of all nodes by their paths, and asserts that there are some. */
function nodeFilesIn(dataDir: string): Map<string, string> {
  const paths = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /node-\d+\.json$/.test(path),
  );
  assert.notEqual(paths.length, 0);
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(dataDir, path), 'utf8')]));
}

test('[AR20] backup - writes to standard output what restore-backup takes, and refuses a screen', async (context) => {
  const { folder, place } = await talkedIn(context);
  const { code, out, note } = await folder.run(['backup', '-']);
  assert.equal(code, 0, note);
  assert.match(note, /^Backed up \d+ changes of 1 conversation to standard output \(\d+\.\d kB\); verified\.\n/);
  writeFileSync(place('piped.jsonl'), out);
  await beside(folder, 'new')(['restore-backup', place('piped.jsonl')]);
  assert.deepEqual([...nodeFilesIn(place('new')).keys()], [...nodeFilesIn(folder.dataDir).keys()]);
  for (const command of ['backup', 'export-store']) {
    const refused = await folder.run([command, '-'], { isScreen: true, env: { NO_COLOR: '1' } });
    assert.deepEqual([refused.code, refused.out], [2, '']);
    assert.match(refused.note, /standard output is a terminal\nName a file/);
    assert.equal((await folder.run([command, '-', '--json'])).code, 2);
  }
});

test('[AR20] a backup that cannot be written is told by the name that was given', async (context) => {
  const { folder } = await talkedIn(context);
  const { code, note } = await folder.run(['backup', '/proc/b.jsonl']);
  assert.equal(code, 1);
  assert.match(note, /^loom: (?:there is no file|you do not have permission to use) \/proc\/b\.jsonl\n/);
});

test('[AR20] backup writes one file, says what is in it, and restore-backup brings it back under new epochs', async (context) => {
  const { folder, place } = await talkedIn(context);
  const out = await folder.succeed(['backup', place('b.jsonl')]);
  assert.match(
    out,
    /^Backed up \d+ changes of 1 conversation to .*b\.jsonl \(\d+\.\d kB\); verified\.\nSettings are not/,
  );
  assert.equal(statSync(place('b.jsonl')).mode & 0o777, 0o600);
  const there = beside(folder, 'new');
  assert.match(
    await there(['restore-backup', place('b.jsonl')]),
    /^Restored \d+ changes of 1 conversation into .*new\.\n$/,
  );
  assert.deepEqual([...nodeFilesIn(place('new')).keys()], [...nodeFilesIn(folder.dataDir).keys()]);
  assert.equal(await there(['show', 'node-2']), await folder.succeed(['show', 'node-2']));
  assert.equal(await there(['ls']), await folder.succeed(['ls']));
  const [before, after] = [await epochsOf(folder.dataDir), await epochsOf(place('new'))];
  assert.deepEqual([...after.keys()], [...before.keys()]);
  for (const [log, epoch] of after) assert.notEqual(epoch, before.get(log));
  // Messages after the backup have the ids that a new beginning must not use.
  const { node: lost } = await folder.say('echo two', '--continue');
  const again = await there(['chat', '--continue', '-p', 'echo three', '--json']);
  assert.ok(!again.includes(`"${lost}"`) && /node-10000\d\d"/.test(again), again);
  assert.deepEqual(readdirSync(place('')).toSorted(), ['b.jsonl', 'data', 'new']);
});

test('[AR20] a folder gets a file that is named after the time, and nothing is written over', async (context) => {
  const { folder, place } = await talkedIn(context);
  mkdirSync(place('backups'));
  await folder.succeed(['backup', place('backups')]);
  const [name = '', ...others] = readdirSync(place('backups'));
  assert.match(name, /^loom-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.jsonl$/);
  assert.deepEqual(others, []);
  const before = readFileSync(join(place('backups'), name));
  const { code, note } = await folder.run(['backup', join(place('backups'), name)]);
  assert.deepEqual([code, /already exists/.test(note)], [1, true]);
  assert.deepEqual(readFileSync(join(place('backups'), name)), before);
  const empty = await folder.run(['backup', place('x'), '--data-dir', place('nothing')]);
  assert.deepEqual([empty.code, existsSync(place('x')), existsSync(place('nothing'))], [1, false, false]);
  assert.match(empty.note, /there is no conversation in .*nothing/);
});

test('[AR20] a backup that cannot be written, or is not what was written, leaves nothing behind', async (context) => {
  const { folder, place } = await talkedIn(context);
  const lines = async function* (): AsyncGenerator<string, void, void> {
    yield* ['one', 'two'];
  };
  const { terminal } = fakeTerminal();
  const writing = { path: place('b'), terminal, progress: () => undefined };
  const verify = (): Promise<void> => Promise.reject(new Error('it is another one'));
  await assert.rejects(writeArchive({ ...writing, disk: nodeDisk, lines: lines(), verify }), /another one/);
  for (let nth = 1; ; nth += 1) {
    const faulty = failingDisk(nth);
    const outcome = await writeArchive({ ...writing, disk: faulty.disk, lines: lines() }).catch(
      (error: unknown) => error,
    );
    if (faulty.failed === undefined) break;
    assert.match(String(outcome), /EIO/, faulty.failed);
    const isThere = existsSync(place('b'));
    // Only the last step comes after it has its name.
    assert.equal(isThere, faulty.failed === 'syncDirectory');
    if (isThere) await nodeDisk.remove(place('b'));
  }
  assert.equal(readFileSync(place('b'), 'utf8'), 'one\ntwo\n');
  assert.deepEqual(readdirSync(place('')).toSorted(), ['b', 'data']);
  assert.match((await folder.run(['backup', place('none/b')])).note, /there is no .*none/);
});

test('[AR28] what killed backups and restorations have left is removed by the next one, and nothing else', async (context) => {
  const { folder, place } = await talkedIn(context);
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const own = basename(temporaryName(place('b.jsonl')));
  const ofDead = own.replace(`-${process.pid}-`, `-${dead}-`);
  const ofOthers = ofDead.replace(/\.[0-9a-f]{8}-/u, '.00000000-');
  const others = [own, ofOthers, '.mine.tmp', 'data.restore-mine'];
  const there = (names: string[]): string[] => names.filter((name) => existsSync(place(name)));
  for (const name of [ofDead, ...others]) writeFileSync(place(name), '');
  mkdirSync(place('data.restore-0123abcd'));
  await folder.succeed(['backup', place('b.jsonl')]);
  assert.deepEqual(there([ofDead, ...others]), others);
  await folder.succeed(['restore-backup', place('b.jsonl'), '--replace']);
  assert.deepEqual(there(['data.restore-0123abcd', ...others]), others);
});

test('[AR20] Ctrl-C leaves no backup, and no rest of one', async (context) => {
  const { folder, place } = await talkedIn(context);
  const interrupts = new Set<() => void>();
  const { terminal } = fakeTerminal({ interrupts });
  const lines = async function* (): AsyncGenerator<string, void, void> {
    yield 'one';
    for (const interrupt of interrupts) interrupt();
    yield 'two';
  };
  const writing = { disk: nodeDisk, path: place('b'), terminal, progress: () => undefined, lines: lines() };
  await assert.rejects(writeArchive(writing), { code: 'interrupted' });
  assert.deepEqual([readdirSync(dirname(folder.dataDir)), interrupts.size], [['data'], 0]);
});

test('[AR21] restore-backup fills only an empty folder; with --replace the present data is moved aside, and settings stay', async (context) => {
  const { folder, place } = await talkedIn(context);
  await folder.succeed(['backup', place('b.jsonl')]);
  await folder.succeed(['config', 'set', 'defaults.temperature', '0.5']);
  await folder.say('echo two', '--continue');
  const newer = await folder.succeed(['show', 'node-4']);
  const refused = await folder.run(['restore-backup', place('b.jsonl')]);
  assert.equal(refused.code, 1);
  assert.match(refused.note, /holds data\n.*--replace/);
  assert.equal(await folder.succeed(['show', 'node-4']), newer);
  const report = z
    .strictObject({
      ok: z.literal(true),
      data_dir: z.string(),
      logs: z.int(),
      changes: z.int(),
      blobs: z.int(),
      moved_to: z.string(),
    })
    .parse(JSON.parse(await folder.succeed(['restore-backup', place('b.jsonl'), '--replace', '--json'])));
  assert.match(report.moved_to, /data\.before-restore-\d{4}/);
  assert.equal((await folder.run(['show', 'node-4'])).code, 1);
  assert.equal(await folder.succeed(['show', 'node-4', '--data-dir', report.moved_to]), newer);
  assert.equal(await folder.succeed(['config', 'get', 'defaults.temperature']), '0.5\n');
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-2'])), ['user: echo one', 'assistant: one']);
});

test('[AR21] a folder with settings only is empty, and one that is a link stays a link', async (context) => {
  const { folder, place } = await talkedIn(context);
  await folder.succeed(['backup', place('b.jsonl')]);
  mkdirSync(place('real'));
  writeFileSync(join(place('real'), 'config.toml'), '# mine\n');
  symlinkSync('real', place('link'));
  const there = beside(folder, 'link');
  await there(['restore-backup', place('b.jsonl')]);
  assert.match(await there(['ls']), /echo one/);
  assert.equal(readFileSync(join(place('real'), 'config.toml'), 'utf8'), '# mine\n');
  await there(['restore-backup', place('b.jsonl'), '--replace']);
  assert.match(await beside(folder, 'real')(['ls']), /echo one/);
});

test('[AR21] a damaged backup is refused before anything is touched', async (context) => {
  const { folder, place } = await talkedIn(context);
  await folder.succeed(['backup', place('b.jsonl')]);
  const text = readFileSync(place('b.jsonl'), 'utf8');
  const bad: [string, string][] = [
    ['archive-cut', text.slice(0, -200)],
    ['archive-damaged', text.replace('echo one', 'echo two')],
    ['archive-newer', text.replace('"format":3', '"format":1000')],
    ['archive-foreign', 'hello\n'],
  ];
  for (const [code, content] of bad) {
    writeFileSync(place('bad.jsonl'), content);
    for (const command of ['restore-backup', 'import-store']) {
      const outcome = await folder.run([command, place('bad.jsonl'), '--json', '--data-dir', place('new')]);
      assert.deepEqual([outcome.code, outcome.note], [1, '']);
      assert.equal(
        z.looseObject({ error: z.looseObject({ code: z.string() }) }).parse(JSON.parse(outcome.out)).error.code,
        code,
      );
      assert.equal(existsSync(place('new')), false);
    }
  }
  const piped = await folder.run(['restore-backup', '-']);
  assert.equal(piped.code, 2);
  assert.match((await folder.run(['restore-backup', place('none')])).note, /there is no file .*none/);
});

test('[AR22] exports are imported, increments on top, from files and through a pipe; twice changes nothing', async (context) => {
  const { folder, place } = await talkedIn(context);
  const there = beside(folder, 'copy');
  assert.match(
    await folder.succeed(['export-store', place('1.jsonl')]),
    /^Exported \d+ changes of 1 conversation to .*1\.jsonl \(/,
  );
  await folder.say('echo two', '--continue');
  assert.match(
    await folder.succeed(['export-store', place('2.jsonl'), '--since', place('1.jsonl')]),
    /^Exported \d+ changes of 1 /,
  );
  await folder.say('echo three');
  const piped = await folder.run(['export-store', '-', '--since', place('2.jsonl')]);
  assert.match(piped.note, /^Exported \d+ changes of 2 conversations \(/);
  assert.match(
    (await folder.run(['import-store', place('2.jsonl'), '--data-dir', place('copy')])).note,
    /Import the archives that it builds on/,
  );
  assert.match(await there(['import-store', place('1.jsonl'), place('2.jsonl')]), /^Imported .*\.\nImported .*\.\n$/);
  assert.match(
    await folder.succeed(['import-store', '-', '--data-dir', place('copy')], { input: piped.out }),
    /^Imported \d+ changes of 2 conversations\.\n$/,
  );
  assert.match(await there(['import-store', place('1.jsonl')]), /^Nothing to do: /);
  assert.deepEqual(nodeFilesIn(place('copy')), nodeFilesIn(folder.dataDir));
  for (const line of ['ls', 'tree']) assert.equal(await there([line]), await folder.succeed([line]));
  // The copy goes on separately: now they are two.
  await there(['chat', '--continue', '-p', 'echo mine']);
  await folder.say('echo theirs', '--continue');
  await folder.succeed(['export-store', place('4.jsonl')]);
  const diverged = await folder.run(['import-store', place('4.jsonl'), '--data-dir', place('copy'), '--json']);
  assert.match(diverged.out, /"archive-diverged"/);
  assert.equal((await folder.run(['export-store', '-', '--json'])).code, 2);
});

test('[AR23] a backup is made while another process has the lock and writes', async (context) => {
  const { folder, place } = await talkedIn(context);
  await folder.say('echo two', '--continue');
  const dataDir = folder.dataDir;
  let written = 0;
  await withWriter({ dataDir }, async (loom) => {
    const [root = ''] = await listIds(loom);
    const state = { isOver: false };
    const backup = folder.succeed(['backup', place('b.jsonl')]).finally(() => (state.isOver = true));
    for (; !state.isOver && written < 300; written += 1) {
      const message = { role: 'user' as const, content: `meanwhile ${written}` };
      await loom.call('node.append', { parent: root, messages: [message] });
    }
    assert.match(await backup, /verified/);
  });
  const there = beside(folder, 'new');
  await there(['restore-backup', place('b.jsonl')]);
  const kept = (await there(['tree'])).match(/meanwhile \d+/g) ?? [];
  // The messages present are the first ones, without a gap.
  assert.deepEqual(new Set(kept), new Set(Array.from(kept, (_, index) => `meanwhile ${index}`)));
  assert.ok(kept.length <= written);
});

test('[AR23] the folder of an older Loom is backed up without being changed, and what cannot be read is named', async (context) => {
  const folder = new ForestFolder(context);
  const place = (name: string): string => join(dirname(folder.dataDir), name);
  const nodes = join(folder.dataDir, 'root-1/nodes');
  mkdirSync(nodes, { recursive: true });
  const metadata = { timestamp: '2025-07-01T00:00:00.000Z', original_root_id: 'root-1', source_info: { type: 'user' } };
  const message = { role: 'user', content: 'What is it?' };
  const node = { id: 'root-1/node-1', root_id: 'root-1', parent_id: 'root-1', child_ids: [], message, metadata };
  writeFileSync(join(nodes, 'node-1.json'), JSON.stringify(node));
  writeFileSync(join(nodes, 'node-7.json'), '{ torn');
  const { code, note } = await folder.run(['backup', place('b.jsonl')]);
  assert.equal(code, 0);
  assert.match(note, /node-7\.json: .* It is not in the archive\./);
  assert.deepEqual(readdirSync(folder.dataDir), ['root-1']);
  const there = beside(folder, 'new');
  await there(['restore-backup', place('b.jsonl')]);
  assert.match(await there(['show', 'node-1']), /What is it\?/);
  assert.match(
    await folder.succeed(['export-store', place('c.jsonl'), '--json']),
    /"unreadable":\[\{"code":"node-json-invalid"/,
  );
});

test('[AR24] du tells what takes how much room, by part, and for how much text', async (context) => {
  const { folder, place } = await talkedIn(context);
  const before = await usageOf(folder);
  mkdirSync(join(folder.dataDir, 'root-x/notes'), { recursive: true });
  writeFileSync(join(folder.dataDir, 'root-x/notes/node-1.txt'), 'x'.repeat(1234));
  mkdirSync(join(folder.dataDir, 'quarantine'));
  writeFileSync(join(folder.dataDir, 'quarantine/a'), 'x'.repeat(100));
  mkdirSync(place('data.backup-1'));
  writeFileSync(join(place('data.backup-1'), 'b'), 'x'.repeat(5000));
  const usage = await usageOf(folder);
  const { parts } = usage;
  const grown = (part: string): number => (parts[part] ?? 0) - (before.parts[part] ?? 0);
  assert.deepEqual(['node_files', 'quarantine', 'backups_beside_it'].map(grown), [1234, 100, 5000]);
  const database = statSync(join(folder.dataDir, 'loom.db')).size;
  const within = ['log', 'snapshots', 'other_derived_data', 'unused_pages'].map((part) => parts[part] ?? 0);
  assert.equal(
    within.reduce((sum, bytes) => sum + bytes),
    database,
  );
  assert.equal(
    usage.total,
    Object.values(parts).reduce((sum, bytes) => sum + bytes),
  );
  assert.deepEqual([usage.text, usage.conversations], ['echo one'.length + 'one'.length, 1]);
  assert.match(
    await folder.succeed(['du']),
    /^log +\d+\.\d kB +\d+\.\d\d × text\n[^]*\nall together [^]*11 B of text in 1 conversation, /,
  );
  assert.deepEqual([0, 999, 1000, 1_234_567, 5e15].map(describeBytes), [
    '0 B',
    '999 B',
    '1.0 kB',
    '1.2 MB',
    '5000.0 TB',
  ]);
  assert.equal((await folder.run(['du', '--data-dir', place('none')])).code, 1);
});

async function usageOf(folder: ForestFolder): Promise<z.infer<typeof printedUsage>> {
  return printedUsage.parse(JSON.parse(await folder.succeed(['du', '--json'])));
}

const printedUsage = z.strictObject({
  ok: z.literal(true),
  parts: z.record(z.string(), z.int()),
  total: z.int(),
  text: z.int(),
  conversations: z.int(),
});

/** The real disk, except that its n-th call fails. */
function failingDisk(nth: number): { disk: Disk; failed: string | undefined } {
  let calls = 0;
  const state: ReturnType<typeof failingDisk> = { disk: nodeDisk, failed: undefined };
  const guard = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    calls += 1;
    if (calls !== nth) return work();
    state.failed = name;
    throw Object.assign(new Error(`EIO: ${name}`), { code: 'EIO' });
  };
  state.disk = {
    ...nodeDisk,
    status: (path) => guard('status', () => nodeDisk.status(path)),
    rename: (from, to) => guard('rename', () => nodeDisk.rename(from, to)),
    syncDirectory: (path) => guard('syncDirectory', () => nodeDisk.syncDirectory(path)),
    async create(path) {
      const file = await guard('create', () => nodeDisk.create(path));
      return {
        ...file,
        write: (bytes, position) => guard('write', () => file.write(bytes.subarray(0, 3), position)),
        sync: () => guard('sync', () => file.sync()),
      };
    },
  };
  return state;
}

test('[AR22] what was imported is there, and said to be, though another process has the folder before its files are written', async (context) => {
  const { folder, place } = await talkedIn(context);
  await folder.succeed(['export-store', place('1.jsonl')]);
  const { written, terminal } = fakeTerminal();
  const report = await verifyFile(place('1.jsonl'), terminal, new Progress(() => {}));
  await withWriter({ dataDir: folder.dataDir }, () =>
    writeImportedFiles(folder.dataDir, [report], new Progress(() => {}), terminal.note),
  );
  assert.match(
    written.note,
    /is writing to .*, so the files of each imported conversation are written when it is next opened\.\n$/,
  );
});

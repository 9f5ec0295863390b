import assert from 'node:assert/strict';
import { join } from 'node:path/posix';
import { test } from 'node:test';
import { failedWith, makeDirectory, writeDurably } from '@loom/stores/disk';
import type { FilesPort } from '@loom/stores/disk';
import { seededRandom } from '@loom/kernel/testing';
import { simulatedFaults, SimulatedFiles } from '@loom/stores/testing';
import type { SimulationPlan } from '@loom/stores/testing';
import { sumOf } from '../file-ledger.ts';
import { finishMigration, migrateFiles } from './migrate-files.ts';
import type { MigratedFile } from './migrate-files.ts';

const directory = '/data';
const [backup, staging] = ['/data.backup', '/data.migration'];

/** Longer than a sector, so that a power cut can tear it. */
const long = (text: string): string => text.repeat(200);

const before = new Map([
  ['config.toml', '# mine\n'],
  ['root-1/nodes/node-1.json', long('old one ')],
  ['root-1/nodes/node-2.json', long('old two ')],
]);
const after = new Map([
  ['root-1/nodes/node-1.json', long('new one ')],
  ['root-1/nodes/node-2.json', long('new two ')],
  ['root-1/root.json', long('new root ')],
]);

async function readText(files: FilesPort, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.read(path));
  } catch (error) {
    if (failedWith(error, 'ENOENT') || failedWith(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function setUp(files: FilesPort): Promise<void> {
  for (const [path, text] of before) {
    const file = join(directory, path);
    await makeDirectory(files, join(file, '..'));
    await writeDurably(files, { path: file, temporary: `${file}.tmp`, bytes: Buffer.from(text) });
  }
}

/** Does the work of a process that wants a migrated directory: it finishes the begun migration, and migrates the rest. */
async function migrate(files: FilesPort): Promise<void> {
  await finishMigration(directory, files);
  const writes: MigratedFile[] = [];
  for (const [path, text] of after) {
    const present = await readText(files, join(directory, path));
    if (present === text) continue;
    writes.push({ path, bytes: Buffer.from(text), before: present === undefined ? '' : sumOf(Buffer.from(present)) });
  }
  if (writes.length === 0) return;
  const names = await files.list('/');
  const result = await migrateFiles(files, {
    directory,
    backup: `${backup}-${names.filter((name) => name.startsWith('data.backup')).length}`,
    staging,
    kept: [...before.keys()],
    writes,
    verify: async (folder) => {
      for (const { path } of writes) {
        if ((await readText(files, join(folder, path))) !== after.get(path)) return `${path} is torn`;
      }
      return undefined;
    },
  });
  assert.ok(result.ok);
}

/** Returns the loss after a migration was cut off at any point. */
async function findLoss(files: FilesPort): Promise<string | undefined> {
  let replaced = 0;
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const text = await readText(files, join(directory, path));
    if (text === after.get(path)) replaced += after.has(path) ? 1 : 0;
    else if (text !== before.get(path)) return `${path} is neither old nor new`;
  }
  return replaced > 0 ? findLostCopy(files) : undefined;
}

async function findMissing(
  files: FilesPort,
  folder: string,
  texts: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  for (const [path, text] of texts) {
    if ((await readText(files, join(folder, path))) !== text) return `${folder}/${path} is not what it should be`;
  }
  return undefined;
}

/** Returns a problem unless one of the copies has the original state of the directory. */
async function findLostCopy(files: FilesPort): Promise<string | undefined> {
  for (const name of await files.list('/')) {
    if (name.startsWith('data.backup') && (await findMissing(files, `/${name}`, before)) === undefined)
      return undefined;
  }
  return 'no copy is whole';
}

/** Runs a migration that fails at one call, and then the next process; returns the loss. */
async function runWith(
  plan: SimulationPlan,
  options: { cutPower: boolean; plant?: (files: FilesPort) => FilesPort },
): Promise<{ calls: number; setUpCalls: number; loss: string | undefined }> {
  const disk = new SimulatedFiles(seededRandom(plan.crashAt ?? plan.fail?.at ?? 1), plan);
  await setUp(disk.boot());
  const setUpCalls = disk.calls;
  const plant = options.plant ?? ((files) => files);
  await migrate(plant(disk.boot())).catch(() => undefined);
  const { calls } = disk;
  if (options.cutPower) disk.cutPower();
  const next = plant(disk.boot());
  const loss = await findLoss(next);
  if (loss !== undefined) return { calls, setUpCalls, loss };
  await migrate(next);
  // The result of a finished migration is durable, whichever process did a part of it before.
  disk.cutPower();
  const end = (await findMissing(next, directory, new Map([...before, ...after]))) ?? (await findLostCopy(next));
  if (end !== undefined) return { calls, setUpCalls, loss: end };
  // A journal may come back with the power; then the next process finds everything done.
  await migrate(disk.boot());
  const names = await next.list('/');
  // Without the right to read the parent folder, changes there cannot be made durable.
  const isExcused = plan.fail?.fault === 'EACCES';
  const isLeft = names.includes('data.migration') || (await next.list(directory)).includes('loom.migration.json');
  const isClean = isExcused || !isLeft;
  return { calls, setUpCalls, loss: isClean ? undefined : 'something was left behind' };
}

test('[NA21] cut off at any call, by a kill or a power cut, every file is old or new, the copy whole, and the next one ends it', async () => {
  const whole = await runWith({}, { cutPower: false });
  assert.equal(whole.loss, undefined);
  let runs = 0;
  for (const cutPower of [false, true]) {
    for (let crashAt = whole.setUpCalls + 1; crashAt <= whole.calls; crashAt += 1) {
      assert.equal((await runWith({ crashAt }, { cutPower })).loss, undefined, `crash at ${crashAt}, ${cutPower}`);
      runs += 1;
    }
  }
  assert.ok(runs > 200);
});

test('[NA21] [NA30] so it is where the new files cannot be renamed into the directory, because that is another disk', async () => {
  const plant = (files: FilesPort): FilesPort => ({
    ...files,
    rename: (from, to) =>
      from.startsWith(staging) && !to.startsWith(staging)
        ? Promise.reject(Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' }))
        : files.rename(from, to),
  });
  const whole = await runWith({}, { cutPower: false, plant });
  assert.equal(whole.loss, undefined);
  for (const cutPower of [false, true]) {
    for (let crashAt = whole.setUpCalls + 1; crashAt <= whole.calls; crashAt += 1) {
      const { loss } = await runWith({ crashAt }, { cutPower, plant });
      assert.equal(loss, undefined, `crash at ${crashAt}, ${cutPower}`);
    }
  }
});

test('[NA21] any call that fails leaves the same, and the next migration ends it', async () => {
  const whole = await runWith({}, { cutPower: false });
  for (const fault of simulatedFaults) {
    for (let at = whole.setUpCalls + 1; at <= whole.calls; at += 1) {
      const { loss } = await runWith({ fail: { at, fault } }, { cutPower: at % 2 === 0 });
      assert.equal(loss, undefined, `${fault} at ${at}`);
    }
  }
});

test('[NA21] what was planted is found: a disk that does not sync files loses some', async () => {
  const unsynced = (files: FilesPort): FilesPort => ({
    ...files,
    open: async (path, how) => ({ ...(await files.open(path, how)), sync: () => Promise.resolve() }),
  });
  const { setUpCalls, calls } = await runWith({}, { cutPower: false, plant: unsynced });
  let losses = 0;
  for (let crashAt = setUpCalls + 1; crashAt <= calls; crashAt += 1) {
    const { loss } = await runWith({ crashAt }, { cutPower: true, plant: unsynced });
    if (loss !== undefined) losses += 1;
  }
  assert.ok(losses > 0);
});

test('[NA22] a file that was changed while a migration was interrupted is left alone and reported', async () => {
  const { setUpCalls, calls } = await runWith({}, { cutPower: false });
  let left = 0;
  for (let crashAt = setUpCalls + 1; crashAt <= calls; crashAt += 1) {
    const disk = new SimulatedFiles(seededRandom(crashAt), { crashAt });
    await setUp(disk.boot());
    await migrate(disk.boot()).catch(() => undefined);
    const others = disk.boot();
    const path = 'root-1/nodes/node-2.json';
    const file = join(directory, path);
    await writeDurably(others, { path: file, temporary: `${file}.x`, bytes: Buffer.from('by hand') });
    const finished = await finishMigration(directory, disk.boot());
    if (finished?.ok !== true) continue;
    assert.deepEqual(finished.left, [path]);
    assert.equal(await readText(others, file), 'by hand');
    left += 1;
  }
  assert.ok(left > 5);
});

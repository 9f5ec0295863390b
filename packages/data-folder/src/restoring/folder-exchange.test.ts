import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { nodeDisk } from '../files/disk.ts';
import type { Disk } from '../files/disk.ts';
import { temporaryDirectory } from '@loom/kernel/testing';
import { exchangeContents } from './folder-exchange.ts';
import { asOnlyWriter, settleRestoration } from '../opening/writer-lock.ts';

test('[AR26] cut short at any call, an exchange of contents has not begun, or is completed by the process that next comes', async (context) => {
  for (let nth = 1; ; nth += 1) {
    const { folder, made, aside, say } = await prepare(context);
    const { disk, state } = dyingDisk(nth);
    const exchanged = await say(() => exchangeContents({ folder, made, aside }, disk).catch(() => 'died'));
    if (state.calls < nth) {
      assert.notEqual(exchanged, 'died');
      assert.ok(nth > 15, 'every call was tried');
      return;
    }
    await say(() => settleRestoration(folder, () => {}));
    const now = namesIn(folder);
    assert.ok(['new', 'old'].includes(readFileSync(join(folder, 'loom.db'), 'utf8')), `call ${nth}`);
    const isNew = readFileSync(join(folder, 'loom.db'), 'utf8') === 'new';
    assert.deepEqual(now, ['config.toml', 'loom.db', 'loom.lock', 'loom.lock.json', isNew ? 'root-2' : 'root-1']);
    if (isNew) assert.deepEqual(namesIn(aside), ['config.toml', 'loom.db', 'root-1'], `call ${nth}`);
    assert.equal(readFileSync(join(folder, 'config.toml'), 'utf8'), '# mine');
  }
});

test('[AR26] if the old contents cannot be moved away, everything is as it was', async (context) => {
  const { folder, made, aside, say } = await prepare(context);
  const before = namesIn(folder);
  const rename: Disk['rename'] = (from, to) =>
    from === join(folder, 'root-1') ? Promise.reject(new Error('EBUSY')) : nodeDisk.rename(from, to);
  await assert.rejects(
    say(() => exchangeContents({ folder, made, aside }, { ...nodeDisk, rename })),
    /EBUSY/u,
  );
  assert.deepEqual(namesIn(folder), before);
  assert.deepEqual(
    namesIn(join(folder, '..')).filter((name) => name !== 'data'),
    [],
  );
});

test('[AR26] a damaged journal is told with where everything is', async (context) => {
  const { folder } = await prepare(context);
  writeFileSync(join(folder, 'loom.restoring.json'), '{');
  await assert.rejects(
    settleRestoration(folder, () => {}),
    /a restoration of .* was cut short, and .*loom\.restoring\.json/u,
  );
});

interface Prepared {
  folder: string;
  made: string;
  aside: string;
  /** Runs work as the only writer. */
  say: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

async function prepare(context: TestContext): Promise<Prepared> {
  const directory = temporaryDirectory(context);
  const place = (name: string): string => join(directory, name);
  const put = (path: string, content: string): void => writeFileSync(place(path), content);
  for (const name of ['data', 'data/root-1', 'made', 'made/root-2']) mkdirSync(place(name));
  for (const [path, text] of Object.entries({ 'data/loom.db': 'old', 'made/loom.db': 'new' })) put(path, text);
  put('data/config.toml', '# mine');
  const folder = place('data');
  const say: Prepared['say'] = (work) => asOnlyWriter(folder, { holder: 'test', patience: 0 }, work);
  await say(() => Promise.resolve());
  return { folder, made: place('made'), aside: place('aside'), say };
}

/** Returns a disk that does nothing from its n-th call on, as for a process that is dead. */
function dyingDisk(nth: number): { disk: Disk; state: { calls: number } } {
  const state = { calls: 0 };
  const live = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    state.calls += 1;
    if (state.calls >= nth) throw new Error('killed');
    return call();
  };
  const disk: Disk = {
    ...nodeDisk,
    list: (path) => live(() => nodeDisk.list(path)),
    makeDirectory: (path) => live(() => nodeDisk.makeDirectory(path)),
    create: (path) => live(() => nodeDisk.create(path)),
    rename: (from, to) => live(() => nodeDisk.rename(from, to)),
    remove: (path) => live(() => nodeDisk.remove(path)),
    syncDirectory: (path) => live(() => nodeDisk.syncDirectory(path)),
  };
  return { disk, state };
}

/** Returns the names without temporary files that a dead process left, which do no harm. */
function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.tmp'))
    .toSorted();
}

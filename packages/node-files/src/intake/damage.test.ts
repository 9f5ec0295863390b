import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import { rounds, tellTried } from '@loom/blocks/testing';
import { nodeJson } from '@loom/kernel';
import type { RootState } from '@loom/kernel';
import { seededRandom } from '@loom/kernel/testing';
import { damageBytes, damages } from '@loom/stores/testing';
import type { Damage } from '@loom/stores/testing';
import type { NodeFilesPort } from '../node-files-port.ts';
import { furnish } from '../testing/furnished-forest.ts';
import { expect, FilesWorld } from '../testing/files-world.ts';
import type { FilesWorldOptions } from '../testing/files-world.ts';

// A deep run sets more.
const damageCount = Number(process.env['LOOM_DAMAGES'] ?? 400);

for (const [index, damage] of damages.entries()) {
  test(`[NW30] after a ${damage} in any file nothing in the log is other than it was, but for edits that are logged, reported and undone`, async (t) => {
    const how = { count: damageCount / damages.length, share: 1 / (damages.length - index) };
    const { tried, ...counts } = await damageFiles(damage, {}, how);
    tellTried(t, tried, `files with a ${damage}: ${JSON.stringify(counts)}`);
    assert.ok(tried < 50 || counts.quarantined > 0);
  });
}

test('[NW30] the damages find planted faults: nothing is reported; nothing is kept', async () => {
  await assert.rejects(damageFiles('flip', { isSilent: true }, { count: 50 }), assert.AssertionError);
  await assert.rejects(damageFiles('truncate', { plant: keepNothing }, { count: 50 }), assert.AssertionError);
});

test('[NW6] whatever files are deleted, while Loom runs or not, all of them are there again and nothing else has changed', async () => {
  await deleteFiles({}, 40);
});

test('[NW6] the deletions find a planted fault: a missing file is taken for one that is there', async () => {
  await assert.rejects(deleteFiles({ plant: seeEverything }, 10), assert.AssertionError);
});

interface DamageCounts {
  tried: number;
  merged: number;
  quarantined: number;
  mended: number;
}

async function damageFiles(
  damage: Damage,
  options: FilesWorldOptions,
  { count, share = Infinity }: { count: number; share?: number },
): Promise<DamageCounts> {
  const counts: DamageCounts = { tried: 0, merged: 0, quarantined: 0, mended: 0 };
  const random = seededRandom(damage.length);
  const world = await FilesWorld.create(options);
  const roots = await furnish(world);
  for (const round of rounds((done) => done >= count, share)) {
    counts.tried = round;
    const [path, other] = [pick(await allFiles(world, roots), random), pick(await allFiles(world, roots), random)];
    const [before, otherBytes] = [
      Buffer.from((await world.read(path)) ?? ''),
      Buffer.from((await world.read(other)) ?? ''),
    ];
    const after = damageBytes(damage, before, otherBytes, random);
    if (Buffer.compare(before, after) === 0) continue;
    const states = await Promise.all(roots.map((root) => world.state(root).then(describe)));
    const seqs = await Promise.all(roots.map((root) => world.state(root).then(({ seq }) => seq)));
    world.reports.length = 0;
    const isAway = random() < 0.3;
    if (isAway) await world.shutDown();
    await world.save(path, after);
    if (isAway) await world.boot();
    await world.settle(1500);
    if (world.reported('newer').length > 0) {
      // A flipped bit may raise the format: then the file stays until a user moves it away.
      assert.equal(Buffer.compare((await world.readBytes(path)) ?? Buffer.of(), after), 0);
      await world.remove(path);
      await world.settle(1500);
    }
    await world.assertWritten();
    await assertKept(world, after, counts);
    for (const [index, root] of roots.entries()) {
      const changes = (await world.state(root)).seq - (seqs[index] ?? 0);
      const merged = world.reports.filter((report) => report.type === 'merged' && report.root === root);
      assert.equal(changes, merged.length, `${path}: ${changes} changes, ${merged.length} of them reported`);
      counts.merged += changes;
      // Every change that came from a file can be undone, and then all is as it was.
      if (changes > 0) expect(await world.forest.undo({ agent: 'filesystem', id: `back-${round}` }, root));
      assert.deepEqual(describe(await world.state(root)), states[index], `${path} has changed the log`);
    }
    if (world.reports.length === 0) {
      counts.mended += 1;
      // The list of roots may say anything: it is derived from the others.
      if (path !== 'roots.json')
        assert.deepEqual(meaning(after), meaning(before), `${path} was changed, and nothing was reported`);
    }
    await world.settle(1500);
  }
  return counts;
}

/** Asserts that every quarantined file is there, byte by byte. */
async function assertKept(world: FilesWorld, bytes: Uint8Array, counts: DamageCounts): Promise<void> {
  for (const report of world.reports) {
    if (report.type !== 'quarantined') continue;
    counts.quarantined += 1;
    const kept = await world.readBytes(report.quarantined.kept.replace('/data/', ''));
    assert.deepEqual(kept && Buffer.from(kept), Buffer.from(bytes), `${report.quarantined.file} was not kept`);
  }
}

async function deleteFiles(options: FilesWorldOptions, count: number): Promise<void> {
  const random = seededRandom(7);
  const world = await FilesWorld.create(options);
  const roots = await furnish(world);
  for (let round = 0; round < count; round += 1) {
    const states = await Promise.all(roots.map((root) => world.state(root).then(describe)));
    const isAway = random() < 0.5;
    if (isAway) await world.shutDown();
    const chance = random();
    for (const path of await allFiles(world, roots)) if (random() < chance) await world.remove(path);
    if (isAway) await world.boot();
    await world.settle(1500);
    await world.assertWritten();
    for (const [index, root] of roots.entries()) assert.deepEqual(describe(await world.state(root)), states[index]);
    assert.deepEqual(await world.list('quarantine'), []);
  }
}

async function allFiles(world: FilesWorld, roots: readonly string[]): Promise<string[]> {
  const files = ['roots.json'];
  for (const root of roots) {
    files.push(`${root}/root.json`);
    for (const name of await world.list(`${root}/nodes`)) files.push(`${root}/nodes/${name}`);
  }
  return files;
}

/** Returns the content of a root, without the marks of edits that were taken back. */
function describe(state: RootState): unknown {
  const nodes = Array.from(state.nodes.keys(), (id) => {
    const json = nodeJson(state, id);
    return (
      json && {
        ...json,
        message: { ...json.message, content: json.message.content.map(withoutVersion) },
        metadata: { ...json.metadata, seq: 0 },
      }
    );
  });
  const { config, title, tags, deleted, bookmarks } = state;
  return { nodes, config, title, tags, deleted, bookmarks: [...bookmarks] };
}

function withoutVersion({ version: _version, ...block }: { version?: number }): unknown {
  return block;
}

/** Returns the content of a file except for its seq. */
function meaning(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return 'nothing that can be read';
  }
  if (!isPlainObject(value)) return value;
  const { metadata, seq: _seq, ...rest } = value;
  return { ...rest, metadata: isPlainObject(metadata) ? { ...metadata, seq: 0 } : metadata };
}

function pick(items: readonly string[], random: () => number): string {
  return items[Math.floor(random() * items.length)] ?? assert.fail('there is nothing to pick from');
}

/** Returns a port on which nothing in quarantine reaches the disk. */
function keepNothing(files: NodeFilesPort): NodeFilesPort {
  return {
    ...files,
    async open(path, how) {
      const file = await files.open(path, how);
      return path.includes('/quarantine/') ? { ...file, write: (bytes) => Promise.resolve(bytes.length) } : file;
    },
  };
}

/** Returns a port that still shows files that were removed. */
function seeEverything(files: NodeFilesPort): NodeFilesPort {
  const seen = new Map<string, Awaited<ReturnType<NodeFilesPort['stamp']>>>();
  return {
    ...files,
    async stamp(path) {
      const stamp = await files.stamp(path);
      if (stamp !== undefined) seen.set(path, stamp);
      return stamp ?? seen.get(path);
    },
    async stampAll(folder) {
      const stamps = await files.stampAll(folder);
      for (const [path, stamp] of seen) {
        if (stamp !== undefined && dirname(path) === folder) stamps.set(basename(path), stamp);
      }
      return stamps;
    },
  };
}

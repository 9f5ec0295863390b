import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfShare, tellTried } from '@loom/blocks/testing';
import { seedOfRun } from '@loom/blocks/testing/corpus';
import type { TestContext } from 'node:test';
import type { z } from 'zod';
import { runInNamespace, whyNoNamespace } from '../testing/namespace/disk-namespace.ts';
import { fileSystems, missingTool } from '../testing/power-cut/image-disk.ts';
import type { FileSystem } from '../testing/power-cut/image-disk.ts';
import { powerCutProgram, powerCutReport } from '../testing/power-cut/power-cut-run.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';

/** The number of power cuts, set by the deep run; without it nothing is mounted. */
const cuts = Number(process.env['LOOM_POWER_CUTS'] ?? 0);
type Report = z.infer<typeof powerCutReport>;

const disks = fileSystems.flatMap((fileSystem) => STORE_KINDS.map((store) => ({ fileSystem, store })));

for (const [index, disk] of disks.entries()) {
  const what = `${disk.store} on ${disk.fileSystem}`;
  test(`[DU4] what was acknowledged is there after a power cut: ${what}`, async (context) => {
    const report = await cutPower(context, disk, cuts, { manner: 'whole', share: 1 / (disks.length - index) });
    if (report === undefined) return;
    tellTried(context, report.cuts, `power cuts, ${what}, ${report.acknowledged} acknowledgements`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.cuts < 10 || report.acknowledged > report.cuts, 'the power was cut before anything was written');
  });
}

test('[DU4] only file systems whose own tools are missing are left out, with what to install', () => {
  const without = (...missing: string[]): (string | undefined)[] =>
    fileSystems.map((fileSystem) => missingTool(fileSystem, (tool) => !missing.includes(tool)));
  assert.deepEqual(without(), [undefined, undefined, undefined]);
  const [ext4, xfs, btrfs] = without('mkfs.xfs', 'mkfs.btrfs');
  assert.equal(ext4, undefined);
  assert.match(xfs ?? '', /^needs mkfs\.xfs: install xfsprogs/u);
  assert.match(btrfs ?? '', /^needs mkfs\.btrfs: install btrfs-progs/u);
});

for (const disk of disks) {
  test(`[DU4] the power cuts find a planted fault, a system that syncs nothing: ${disk.store} on ${disk.fileSystem}`, async (context) => {
    const report = await cutPower(context, disk, 40, { manner: 'unsynced', share: Infinity });
    if (report !== undefined) assert.notDeepEqual(report.findings, []);
  });
}

/** Cuts the power; `undefined` if it could not be tried, which is reported. */
async function cutPower(
  context: TestContext,
  { fileSystem, store }: { fileSystem: FileSystem; store: StoreKind },
  count: number,
  { manner, share }: { manner: 'whole' | 'unsynced'; share: number },
): Promise<Report | undefined> {
  const reason =
    cuts === 0 ? 'only in the deep run' : (whyNoNamespace({ privileged: true }) ?? missingTool(fileSystem));
  if (reason !== undefined) {
    context.skip(reason);
    return undefined;
  }
  const seed = seedOfRun();
  const args = [fileSystem, store, `${count}`, `${seed}`, manner];
  const outcome = await runInNamespace(powerCutProgram, args, powerCutReport, endOfShare(share));
  if (outcome.tried) return outcome.report;
  context.skip(outcome.reason);
  return undefined;
}

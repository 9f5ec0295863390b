import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { endOfShare, tellTried } from '@loom/blocks/testing';
import type { z } from 'zod';
import { wrongCourse } from '../testing/full-disk/course.ts';
import type { FillingLine } from '../testing/full-disk/filling-writer.ts';
import { fullDiskProgram, fullDiskReport } from '../testing/full-disk/full-disk-run.ts';
import { runInNamespace, whyNoNamespace } from '../testing/namespace/disk-namespace.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';

/** The number of disks to fill, set by the deep run; without it nothing is mounted. */
const disks = Number(process.env['LOOM_FULL_DISKS'] ?? 0);
type Report = z.infer<typeof fullDiskReport>;

for (const [index, store] of STORE_KINDS.entries()) {
  test(`[DU5] a disk that is full is told, is read from, and is written to again when there is room: ${store}`, async (context) => {
    const report = await fillDisks(context, store, disks, endOfShare(1 / (STORE_KINDS.length - index)));
    if (report === undefined) return;
    tellTried(context, report.rounds, `full disks, ${report.acknowledged} acknowledgements, ${store}`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.rounds < 5 || report.acknowledged > 20 * report.rounds);
  });

  test(`[DU5] a folder that was closed before its disk was full can be read: ${store}`, async (context) => {
    const report = await fillDisks(context, store, 1, Infinity);
    if (report !== undefined) assert.deepEqual(report.unreadable, []);
  });
}

/** Fills disks; `undefined` if it could not be tried, which is reported. */
async function fillDisks(
  context: TestContext,
  store: StoreKind,
  count: number,
  end: number,
): Promise<Report | undefined> {
  const untried = disks === 0 ? 'only in the deep run' : whyNoNamespace({ privileged: false });
  if (untried !== undefined) {
    context.skip(untried);
    return undefined;
  }
  const args = [store, `${count}`, `${Date.now() % 1_000_000}`];
  const outcome = await runInNamespace(fullDiskProgram, args, fullDiskReport, end);
  if (outcome.tried) return outcome.report;
  context.skip(outcome.reason);
  return undefined;
}

const said: FillingLine = { type: 'said', seq: 1, node: 'n', text: 'x' };
const full: FillingLine = { type: 'full', code: 'store-failed', advice: 'The disk is full. Free some space.' };
const read: FillingLine = { type: 'read', nodes: 1 };
const rest: FillingLine[] = [{ type: 'resumed', writes: 1 }, { type: 'closed' }];

test('[DU5] what a writer on a full disk says is held against what it should, and planted faults are found', () => {
  assert.deepEqual(wrongCourse([said, full, read, ...rest], false), []);
  assert.deepEqual(wrongCourse([said, full, read], true), []);
  const faults: FillingLine[][] = [
    [said, read, ...rest],
    [said, { ...full, code: 'store-corrupt' }, read, ...rest],
    [said, { ...full, advice: 'Try again.' }, read, ...rest],
    [said, said, full, read, ...rest],
    [said, full, ...rest],
    [said, full, read, { type: 'closed' }],
    [said, full, read, { type: 'resumed', writes: 1 }],
  ];
  for (const lines of faults) assert.equal(wrongCourse(lines, false).length, 1, JSON.stringify(lines));
});

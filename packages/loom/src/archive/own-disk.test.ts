import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNamespace, whyNoNamespace } from '../testing/namespace/disk-namespace.ts';
import { ownDiskProgram, ownDiskReport } from '../testing/own-disk/own-disk-run.ts';

test('[AR21] [NA30] a folder that is a mount point is migrated, a restoration is refused before anything is done, and chats go on', async (context) => {
  const untried = whyNoNamespace({ privileged: false });
  if (untried !== undefined) return context.skip(untried);
  const outcome = await runInNamespace(ownDiskProgram, [], ownDiskReport);
  if (!outcome.tried) return context.skip(outcome.reason);
  const { migrated, restored, said, beside } = outcome.report;
  assert.deepEqual([migrated.code, restored.code, said.code], [0, 1, 0], JSON.stringify(outcome.report));
  assert.match(migrated.out, /^Wrote 2 files for 1 message/u);
  assert.match(restored.note, /is a mount point[^]*Nothing was changed/u);
  assert.deepEqual(beside, ['backup.jsonl', 'copy', 'data']);
});

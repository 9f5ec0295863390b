import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { LockTimeout, withLock } from './lock.ts';

test('[CF34] only one holder at a time, also inside one process; a failure frees the lock', async (context) => {
  const path = join(temporaryDirectory(context), 'lock');
  let holders = 0;
  const enter = async (): Promise<void> => {
    assert.equal(++holders, 1);
    await new Promise(setImmediate);
    holders--;
    throw new Error('work failed');
  };
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => withLock(path, 5000, enter)));
  assert.ok(all.every((one) => one.status === 'rejected' && String(one.reason) === 'Error: work failed'));
  assert.equal(statSync(path).size, 0);
});

test('[CF34] a process that waits too long is told, and a holder that is killed frees the lock', async (context) => {
  const path = join(temporaryDirectory(context), 'lock');
  const script = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    await withLock(${JSON.stringify(path)}, 0, () => new Promise((resolve) => { console.log('held'); setTimeout(resolve, 1e6); }));`;
  const holder = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  context.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  await assert.rejects(
    withLock(path, 0, () => Promise.resolve()),
    LockTimeout,
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.equal(await withLock(path, 5000, () => Promise.resolve('mine')), 'mine');
});

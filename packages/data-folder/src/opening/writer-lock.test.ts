import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderError } from '../folder-error.ts';
import { temporaryDirectory } from '@loom/kernel/testing';
import { lockHolderProgram } from './testing/lock-holder.ts';
import { asOnlyWriter, findWriter } from './writer-lock.ts';

type Lock = 'real' | 'timed';

interface Holder {
  process: ChildProcessWithoutNullStreams;
  /** Returns its next line. */
  next: () => Promise<string>;
}

function startHolder(context: TestContext, lock: Lock, path: string, patience: number): Holder {
  const child = spawn(process.execPath, [lockHolderProgram, lock, path, String(patience)]);
  context.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { process: child, next: async () => (await lines.next()).value ?? 'is gone' };
}

/** Returns true if a holder that is stopped for a while, as by Ctrl-Z, keeps the lock. */
async function keepsWhileStopped(context: TestContext, lock: Lock): Promise<boolean> {
  const path = join(temporaryDirectory(context), 'lock');
  const first = startHolder(context, lock, path, 0);
  assert.equal(await first.next(), 'has it');
  first.process.kill('SIGSTOP');
  const second = startHolder(context, lock, path, 1000);
  const said = await second.next();
  first.process.kill('SIGCONT');
  return said === 'gives up';
}

test('[LK1] of twenty processes that want to write at once one does, then the next', async (context) => {
  const path = join(temporaryDirectory(context), 'lock');
  const holders = Array.from({ length: 20 }, () => startHolder(context, 'real', path, 60_000));
  const first = holders.map(async (holder, index) => ({ index, said: await holder.next() }));
  const waiting = new Map(first.map((said, index) => [index, said]));
  const order: number[] = [];
  while (waiting.size > 0) {
    const { index, said } = await Promise.race(waiting.values());
    waiting.delete(index);
    assert.equal(said, 'has it');
    order.push(index);
    // While this one has it no other gets it: the others have a moment to report that they do.
    const other = await Promise.race([...waiting.values(), delay(20)]);
    assert.equal(other, undefined, 'two have it at once');
    const holder = holders[index] ?? assert.fail();
    // Some release it, some are killed.
    if (index % 2 === 0) holder.process.stdin.write('go\n');
    else holder.process.kill('SIGKILL');
    await once(holder.process, 'exit');
  }
  assert.equal(new Set(order).size, 20);
});

test('[LK2] a writer that is stopped keeps the lock; a lock that goes by time would be found out', async (context) => {
  assert.equal(await keepsWhileStopped(context, 'real'), true);
  assert.equal(await keepsWhileStopped(context, 'timed'), false, 'the planted fault');
});

test('[LK3] a second process learns the process id and the address of the first', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  const address = 'http://127.0.0.1:4321';
  await asOnlyWriter(dataDir, { holder: 'one', address }, async () => {
    assert.deepEqual(await findWriter(dataDir), { pid: process.pid, holder: 'one', address });
    await assert.rejects(
      asOnlyWriter(dataDir, { holder: 'two' }, () => Promise.resolve()),
      (error) => {
        assert.ok(error instanceof FolderError);
        assert.deepEqual(error.problem, { code: 'locked', folder: dataDir, pid: process.pid, address });
        assert.match(error.message, /process \d+ at http:/);
        return true;
      },
    );
  });
  assert.equal(await findWriter(dataDir), undefined);
});

test('[LK4] a process that waits for a lock whose file is removed or replaced meanwhile takes the one that is there then', async (context) => {
  const directory = temporaryDirectory(context);
  const [dataDir, aside] = [join(directory, 'data'), join(directory, 'aside')];
  const waits = { holder: 'second', patience: 10_000 };
  let second: Promise<unknown> = Promise.resolve();
  await asOnlyWriter(dataDir, { holder: 'first' }, async () => {
    second = asOnlyWriter(dataDir, waits, async (lock) => {
      assert.equal(lock.isInPlace(), true);
      assert.equal((await findWriter(dataDir))?.holder, 'second');
    });
    // It has opened the lock of the first, and tries to get it.
    await delay(50);
    renameSync(dataDir, aside);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'loom.lock'), '');
  });
  await second;
});

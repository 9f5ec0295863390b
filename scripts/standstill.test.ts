import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { RunningProcess } from './standstill.ts';
import { readProcesses, Standstill } from './standstill.ts';

const process = (pid: number, parent: number, work: number): RunningProcess => ({ pid, parent, command: 'x', work });
const minute = 60_000;

test('[RP36] a process hangs once neither it nor its descendants did any work for the whole time', () => {
  const standstill = new Standstill(3 * minute);
  const look = (minutes: number, works: readonly [number, number]): number[][] =>
    standstill
      .find(1, [process(2, 1, works[0]), process(3, 2, works[1]), process(9, 8, 0)], minutes * minute)
      .map(({ pids }) => pids);
  assert.deepEqual(look(0, [5, 1]), []);
  assert.deepEqual(look(2, [5, 1.7]), [], 'its child works');
  assert.deepEqual(look(4.9, [5.1, 1.8]), [], 'not long enough');
  assert.deepEqual(look(5, [5.2, 1.8]), [[3, 2]], 'a little work is the work of a process that waits');
});

test('[RP36] work of a child that ended counts, whether its parent takes it over or not', () => {
  const standstill = new Standstill(minute);
  const child = [process(2, 1, 1), process(3, 2, 4)];
  assert.deepEqual(standstill.find(1, child, 0), []);
  assert.deepEqual(standstill.find(1, [process(2, 1, 1)], minute), []);
  assert.deepEqual(standstill.find(1, [process(2, 1, 5)], 2 * minute), []);
});

test('[RP36] the processes of this machine are read with their parents and their work', async (t) => {
  if (readProcesses().length === 0) return t.skip('this system lists no processes in /proc');
  const child = spawn(globalThis.process.execPath, ['-e', 'process.stdin.resume()', '('], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const found = readProcesses().find(({ pid }) => pid === child.pid);
  assert.equal(found?.parent, globalThis.process.pid);
  const itself = readProcesses().find(({ pid }) => pid === globalThis.process.pid);
  assert.ok(itself !== undefined && itself.work > 0);
  child.stdin.end();
  await once(child, 'close');
});

import test from 'node:test';
import assert from 'node:assert/strict';
import { beside } from './beside.ts';

const window = { width: 360, height: 780 };
const size = { width: 200, height: 120 };

test('[WB100] what floats is below its anchor, above it where there is no room below, and never outside of the window', () => {
  const high = { left: 40, right: 64, top: 100, bottom: 124 };
  assert.deepEqual(beside(high, size, window), { left: 40, top: 128 });
  const low = { left: 40, right: 64, top: 740, bottom: 764 };
  assert.deepEqual(beside(low, size, window), { left: 40, top: 616 });
  const atTheRight = { left: 330, right: 354, top: 100, bottom: 124 };
  assert.deepEqual(beside(atTheRight, size, window), { left: 152, top: 128 });
  assert.deepEqual(beside(atTheRight, size, window, 'right'), { left: 152, top: 128 });
  const huge = { width: 400, height: 900 };
  assert.deepEqual(beside(low, huge, window), { left: 8, top: 8 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../command-line/failure.ts';
import { readLineRange } from './line-range.ts';

test('[TX4] a colon excludes the end, a dash includes it, and either end of the text may be left out', () => {
  const ranges = ['3:5', '3-5', '3', '3:', ':5', ':', '0:0', '4-4'];
  assert.deepEqual(
    ranges.map((range) => readLineRange('lines', range)),
    [
      { start: 3, end: 5 },
      { start: 3, end: 6 },
      { start: 3, end: 4 },
      { start: 3 },
      { start: 0, end: 5 },
      { start: 0 },
      { start: 0, end: 0 },
      { start: 4, end: 5 },
    ],
  );
});

test('[TX4] anything else is a usage error that names the option', () => {
  for (const range of ['', 'x', '-3', '3-', '-', '3:x', '1.5', '5:3', '6-4', '3:5:7', '99999999999999999999']) {
    assert.throws(
      () => readLineRange('delete', range),
      (error) => error instanceof UsageError && error.message.startsWith('--delete '),
      range,
    );
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callErrorCodes } from '@loom/kernel';
import { retryDelay } from './retry.ts';

const failed = { code: 'overloaded' as const, message: '' };

test('[AP8] each wait is about twice as long as the one before, half of it by chance', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => retryDelay(failed, attempt, () => 0)),
    [500, 1000, 2000, 4000],
  );
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => retryDelay(failed, attempt, () => 1)),
    [1000, 2000, 4000, 8000],
  );
  assert.equal(
    retryDelay(failed, 5, () => 0),
    undefined,
  );
});

test('[AP8] a provider that says how long to wait is obeyed, up to a minute', () => {
  assert.equal(retryDelay({ ...failed, retry_after_ms: 60_000 }, 1, Math.random), 60_000);
  assert.equal(retryDelay({ ...failed, retry_after_ms: 60_001 }, 1, Math.random), undefined);
});

test('[AP8] only what passes by itself is tried again', () => {
  const tried = callErrorCodes.filter((code) => retryDelay({ code, message: '' }, 1, Math.random) !== undefined);
  assert.deepEqual(tried, ['rate-limit', 'overloaded', 'network', 'timeout', 'failed']);
});

test('[AP18] what is final is not tried again', () => {
  const error = { code: 'network' as const, message: '', final: true as const };
  assert.equal(retryDelay(error, 1, Math.random), undefined);
});

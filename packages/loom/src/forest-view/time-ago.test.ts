import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAgo } from './time-ago.ts';

test('[FC20] times are told as how long ago, and by date after a month', () => {
  const now = Date.UTC(2026, 4, 20, 12);
  const told = (seconds: number): string => timeAgo(now - seconds * 1000, now);
  assert.deepEqual([-5, 59, 60, 3599, 3600, 47 * 3600, 48 * 3600, 30 * 86_400, 31 * 86_400].map(told), [
    'just now',
    'just now',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '47 h ago',
    '2 days ago',
    '30 days ago',
    '2026-04-19',
  ]);
});

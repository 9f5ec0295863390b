import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dollars, percent } from './amounts.ts';
import { clockTime, dayName, duration, messageTime, shortTime, wholeSeconds } from './times.ts';

const now = new Date(2026, 10, 18, 15, 30).getTime();
const at = (...[month, day, hour, minute, year = 2026]: [number, number, number, number, number?]): number =>
  new Date(year, month, day, hour, minute).getTime();

test('[WB175] times in lists are as short as they can be, and say the day once hours tell nothing', () => {
  const times: [number, string][] = [
    [at(10, 18, 15, 30), 'now'],
    [at(10, 18, 15, 24), '6m'],
    [at(10, 18, 13, 20), '2h'],
    [at(10, 17, 16, 0), '23h'],
    [at(10, 17, 9, 0), '1d'],
    [at(10, 16, 23, 0), 'Mon'],
    [at(10, 12, 8, 0), 'Thu'],
    [at(10, 11, 8, 0), 'Nov 11'],
    [at(10, 11, 8, 0, 2025), 'Nov 11, 2025'],
  ];
  for (const [time, words] of times) assert.equal(shortTime(time, now), words);
  assert.equal(clockTime(at(10, 18, 15, 4)), '3:04 PM');
  assert.equal(dayName(at(10, 9, 8, 0), now), 'Monday, November 9');
});

test('[WB175] a message that is not of today says its day', () => {
  assert.equal(messageTime(at(10, 18, 0, 4), now), '12:04 AM');
  assert.equal(messageTime(at(10, 17, 23, 59), now), 'Nov 17, 11:59 PM');
  assert.equal(messageTime(at(0, 1, 10, 0, 2024), now), 'Jan 1, 2024, 10:00 AM');
});

test('[WB175] durations and shares have no space before their unit', () => {
  assert.deepEqual([300, 9_960, 42_000, 372_000, 6_720_000].map(duration), ['0.3s', '10s', '42s', '6m 12s', '1h 52m']);
  assert.equal(wholeSeconds(8_400), '8s');
  assert.equal(percent(0.841), '84%');
  assert.deepEqual([0.004, 0.005, 0.314].map(dollars), ['under $0.01', '$0.01', '$0.31']);
});

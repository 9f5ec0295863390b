import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfShare, tellTried } from '@loom/blocks/testing';
import {
  failingCalls,
  readLines,
  sweepFailures,
  whyNoInjection,
  wrongEnding,
  wrongRecords,
} from './testing/injected-failures.ts';

/** The distance between the calls that are made to fail; set by the deep run. */
const stride = Number(process.env['LOOM_INJECTION_STRIDE'] ?? 0);
const untried = stride === 0 ? 'only in the deep run' : whyNoInjection();
const skip = untried ?? false;

for (const place of ['here', 'beside'] as const) {
  test(
    `[SQ6] [SQ7] whichever call of SQLite fails, ${place}: told, nothing lost or half done, and it goes on`,
    { skip },
    async (t) => {
      const findings: string[] = [];
      const sweeps = Object.values(failingCalls).reduce((sum, errors) => sum + 2 * errors.length, 0);
      let left = place === 'here' ? 2 * sweeps : sweeps;
      const end = endOfShare(place === 'here' ? 0.5 : 1);
      for (const [call, errors] of Object.entries(failingCalls)) {
        let [points, failures] = [0, 0];
        for (const error of errors) {
          for (const lasts of [false, true]) {
            // Once time is over every call has failed once, but not in every way.
            if (points > 0 && Date.now() > end) continue;
            const report = await sweepFailures({ call, error, lasts, place, stride, share: 1 / left });
            left -= 1;
            points += report.points;
            failures += report.failures;
            findings.push(...report.findings);
          }
        }
        tellTried(t, points, `failures of ${call} (${errors.join(', ')}) injected ${place}, ${failures} told`);
        if (points === 0) findings.push(`SQLite was expected to call ${call}`);
      }
      assert.deepEqual(findings, []);
    },
  );
}

test('[SQ6] the injected failures find a planted fault: a writer that does not listen', { skip }, async () => {
  const { findings } = await sweepFailures({
    call: 'pwrite64,write',
    error: 'EIO',
    lasts: true,
    place: 'here',
    stride: 10,
    fault: 'deaf',
  });
  assert.notDeepEqual(findings, []);
});

const acknowledged = (seq: number): string =>
  `${JSON.stringify({ type: 'acknowledged', seq, texts: [`${seq} first`, `${seq} second`] })}\n`;
const pair = (seq: number): string[] => [`${seq} first`, `${seq} second`];

test('[SQ6] records are held against what a writer was told: missing, half, doubled and surplus ones are found', () => {
  const lines = readLines(acknowledged(1) + acknowledged(3));
  assert.deepEqual(wrongRecords(lines, [...pair(1), ...pair(3)]), []);
  assert.deepEqual(wrongRecords(lines, [...pair(1), ...pair(3), ...pair(5)]), [], 'one whose answer was a failure');
  assert.deepEqual(wrongRecords(lines, pair(1)), ['what was acknowledged as 3 is not there']);
  assert.deepEqual(wrongRecords(lines, [...pair(1), ...pair(3), '5 first']), ['half of a batch is at 5']);
  assert.deepEqual(wrongRecords(lines, [...pair(1), ...pair(3), ...pair(3)]), ['a text is there twice']);
});

test('[SQ7] a writer that meets one failure has to go on, one that meets nothing else has to end', () => {
  const failed = '{"type":"failed","code":"store-failed","message":"x"}\n';
  const ended = (complete: boolean): string => `${JSON.stringify({ type: 'ended', complete })}\n`;
  assert.deepEqual(wrongEnding(readLines(failed + ended(true)), { lasts: false }), []);
  assert.deepEqual(wrongEnding(readLines(failed + ended(false)), { lasts: true }), []);
  assert.equal(wrongEnding(readLines(failed + ended(false)), { lasts: false }).length, 1);
  assert.equal(wrongEnding(readLines(failed), { lasts: true }).length, 1);
});

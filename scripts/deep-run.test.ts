import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PartOutcome } from './deep-plan.ts';
import {
  attemptsIn,
  deepParts,
  leavesOutPlanted,
  plantedFault,
  planDeepRun,
  promises,
  shareOf,
  summarize,
  untriedPromises,
} from './deep-plan.ts';
import { readPlan } from './deep-run.ts';

const root = join(import.meta.dirname, '..');

test('[DU6] every part of the deep run is a test that looks for its number, and shows something about a promise', () => {
  for (const { file, setting, promises: shown, about } of deepParts) {
    assert.equal(shown.length === 0, about !== undefined, `${file} says what it is about, unless it tests a promise`);
    assert.ok(existsSync(join(root, file)), file);
    if (setting !== undefined) assert.ok(readFileSync(join(root, file), 'utf8').includes(`'${setting.name}'`), file);
    assert.ok(
      shown.every((number) => promises.has(number)),
      file,
    );
  }
  const shown = new Set(deepParts.flatMap((part) => part.promises));
  assert.deepEqual(
    [...promises.keys()].filter((number) => !shown.has(number)),
    [],
  );
});

test('[DU6] a deep run of so many minutes spreads what it tries over all that there is, and stops by its time', () => {
  const parts = [
    { file: 'a', promises: [1], setting: { name: 'LOOM_KILLS', full: 2000 }, minutes: 60 },
    { file: 'b', promises: [5], setting: { name: 'LOOM_CALL_STRIDE', full: 1 }, minutes: 40 },
    { file: 'c', promises: [7], minutes: 0 },
  ];
  const values = (minutes?: number) => planDeepRun(parts, minutes).map(({ value }) => value);
  assert.deepEqual(values(), [2000, 1, undefined]);
  assert.deepEqual(values(10), [2000, 10, undefined]);
  assert.deepEqual(values(1000), [2000, 1, undefined], 'never more than all of it');
});

test('[DU6] the parts share the time that is left, and what one does not need is there for the others', () => {
  const parts = [60, 30, 10].map((minutes) => ({ minutes }));
  assert.equal(shareOf(parts, 10), 6);
  assert.equal(shareOf(parts.slice(1), 8), 6);
  assert.equal(shareOf(parts.slice(2), 2), 2);
  assert.equal(shareOf(parts, Infinity), Infinity);
});

test('[DU6] a short run leaves out planted faults, a longer one tries them', () => {
  const planOf = (minutes?: number) => planDeepRun(deepParts, minutes);
  assert.equal(leavesOutPlanted(planOf(2)), true);
  for (const minutes of [60, undefined]) assert.equal(leavesOutPlanted(planOf(minutes)), false);
  assert.equal(leavesOutPlanted(planDeepRun(deepParts.slice(0, 1), 2)), false, 'there is time for all of one part');
  for (const { file } of deepParts) {
    const titles = readFileSync(join(root, file), 'utf8').matchAll(/test\(\s*[`'"](.*)/gu);
    const kept = [...titles].filter(([, title = '']) => !plantedFault.test(title));
    assert.ok(kept.length > 0, `${file} tries nothing but planted faults`);
  }
});

test('[DU6] a part whose time is over stops between two rounds, and tells how much it tried', () => {
  // Else the tests in it would be taken for tests of this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/deep-run.ts'), '--minutes', '0.0001', 'hand-edits.fuzz'],
    { encoding: 'utf8', env },
  );
  assert.equal(status, 0, `${stdout}${stderr}`);
  const [, tried] = /9\. Edits by hand [^\n]*: tried (\d+) times\n/u.exec(stdout) ?? [];
  assert.ok(Number(tried) >= 1 && Number(tried) < 500, stdout);
  assert.match(stdout, /No findings; everything was tried\.\n$/u);
});

test('[DU6] a run in which nothing was tried for a promise fails, and says for which', () => {
  const part = { promises: [1, 2], setting: { name: 'LOOM_KILLS', full: 2000 }, minutes: 1 };
  const idle: PartOutcome = { ...quiet, part: { ...part, file: 'kills' }, passed: 3 };
  const busy: PartOutcome = { ...quiet, part: { ...part, file: 'cuts', promises: [2] }, passed: 1, attempts: 4 };
  assert.deepEqual(untriedPromises([idle, busy]), [1]);
  assert.match(
    summarize([idle, busy]).join('\n'),
    /1\. [^\n]*: NEVER TRIED\n[^]*FAILED: nothing was tried for promise 1\.$/u,
  );
  const counted = ['tried 12 kills, sqlite', 'tried 3 kills, files', 'it tried 4', 'tried many'].map(attemptsIn);
  assert.deepEqual(counted, [12, 3, 0, 0]);
});

/** The outcome of a part that did nothing. */
const quiet = { minutes: 0, passed: 0, attempts: 0, remarks: [], findings: [], untried: [] };

test('[DU6] the words after the command choose parts and minutes; others are refused', () => {
  assert.equal(readPlan([])?.plan.length, deepParts.length);
  assert.deepEqual(
    readPlan(['kill-loop'])?.plan.map(({ value }) => value),
    [2000],
  );
  assert.equal(readPlan(['--minutes', '3', 'kill-loop'])?.minutes, 3);
  for (const wrong of [['no-such-test'], ['--minutes', 'x'], ['--minutes', '0'], ['--hours', '2']]) {
    assert.equal(readPlan(wrong), undefined, wrong.join(' '));
  }
});

test('[DU6] the summary says by promise what was tried, what was found, and what was not tried and why', () => {
  const outcome: PartOutcome = {
    part: { file: 'a.test.ts', promises: [1], minutes: 1 },
    minutes: 2,
    passed: 3,
    attempts: 0,
    remarks: ['40 kills'],
    findings: [],
    untried: [],
  };
  const other: PartOutcome = {
    ...outcome,
    part: { file: 'b.test.ts', promises: [5], minutes: 1 },
    passed: 0,
    untried: ['on xfs: needs mkfs.xfs'],
  };
  assert.deepEqual(summarize([outcome]), [
    '1. What was acknowledged survives kill -9 and a power cut: tried 3 times',
    '   passed a.test.ts (3 tests, 2.0 min)',
    '      40 kills',
    '',
    'No findings; everything was tried.',
  ]);
  const lines = summarize([outcome, other]).join('\n');
  assert.match(lines, /not tried b\.test\.ts/u);
  assert.match(lines, /not tried: on xfs: needs mkfs\.xfs/u);
  assert.match(lines, /No findings; 1 test was NOT TRIED/u);
  const failed = summarize([{ ...outcome, findings: ['lost\nat …'] }]).join('\n');
  assert.match(failed, /FAILED a\.test\.ts[^]*FINDING lost at …\n[^]*1 FINDING;/u);
});

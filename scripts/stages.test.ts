import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Stage } from './stages.ts';
import { runStages } from './stages.ts';

async function run(...lanes: readonly (readonly Stage[])[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await runStages(lanes, (line) =>
    lines.push(stripVTControlCharacters(line).replace(/[\d.]+ s\b/u, 'n s')),
  );
  return { code, lines };
}

const stage = (name: string, result: () => number): Stage => ({ name, run: async () => result() });

test('[RP14] stages that all pass give exit code 0', async () => {
  const { code, lines } = await run([stage('one', () => 0), stage('two', () => 0)]);
  assert.equal(code, 0);
  assert.deepEqual(lines, ['passed one (n s)', 'passed two (n s)', '', 'All 2 stages passed (n s).']);
});

test('[RP14] a single stage is told as one', async () => {
  assert.equal((await run([stage('one', () => 0)])).lines.at(-1), 'The stage passed (n s).');
  assert.equal((await run([stage('one', () => 1)])).lines.at(-1), '1 of 1 stage failed (n s): one.');
});

test('[RP14] a failed or broken stage does not keep the others from running', async () => {
  const broken = (): number => {
    throw new Error('the tool is missing');
  };
  const { code, lines } = await run([stage('one', () => 2), stage('two', broken), stage('three', () => 0)]);
  assert.equal(code, 1);
  assert.deepEqual(lines, [
    'FAILED one (n s)',
    '  the tool is missing',
    'FAILED two (n s)',
    'passed three (n s)',
    '',
    '2 of 3 stages failed (n s): one, two.',
  ]);
});

test('[RP14] lanes run beside each other, and the summary names failures in their order', async () => {
  const { promise: quickDone, resolve } = Promise.withResolvers<number>();
  const slow: Stage = { name: 'slow', run: async () => (await quickDone) + 1 };
  const quick = [stage('quick', () => 1), { name: 'later', run: async () => (resolve(0), 0) }];
  const { code, lines } = await run([slow], quick);
  assert.equal(code, 1);
  assert.deepEqual(lines, [
    'FAILED quick (n s)',
    'passed later (n s)',
    'FAILED slow (n s)',
    '',
    '2 of 3 stages failed (n s): slow, quick.',
  ]);
});

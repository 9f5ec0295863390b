import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ROOT } from '../commands.ts';
import { simulate } from '../simulator/simulation.ts';
import { fakeTerminal, runInside } from '../testing/fake-terminal.ts';
import { createSim } from './sim.ts';

test('[SM10] loom sim prints the seeds, the coverage and that nothing was violated', async () => {
  const { code, out } = await runInside(['sim', '--seeds', '2', '--steps', '40']);
  assert.equal(code, 0);
  assert.match(out, /^seeds 1 to 2, 40 steps each, \d+ changes$/m);
  assert.match(out, /^ *lease-loss( +\d+){8}$/m);
  assert.match(out, /^no violations$/m);
});

test('[SM10] a single seed prints its trace, the same every time', async () => {
  const runs = [await runInside(['sim', '--seed', '7']), await runInside(['sim', '--seed', '7'])];
  assert.equal(runs[0]?.out, runs[1]?.out);
  assert.match(runs[0]?.out ?? '', /^seed 7\n {2}\d+ /);
});

test('[SM11] a violation is printed with its trace and how to replay it, and the exit code is 1', async () => {
  const { terminal, written } = fakeTerminal();
  const broken = createSim((options) => simulate({ ...options, fault: 'fence-removed' }));
  const options = new Map([['seeds', '10']]);
  const code = await broken({ root: ROOT, words: [], options, dataDir: '', isJson: false, terminal });
  assert.equal(code, 1);
  assert.match(written.out, /VIOLATION fenced: /);
  assert.match(written.out, /^replay with: loom sim --seed \d+ --steps \d+$/m);
  assert.match(written.out, /^VIOLATIONS with \d+ seeds: \d/m);
});

test('[SM11] with --json violations are part of the one document', async () => {
  const { terminal, written } = fakeTerminal();
  const broken = createSim((options) => simulate({ ...options, fault: 'conflict-ignored' }));
  const options = new Map([['seeds', '3']]);
  const code = await broken({ root: ROOT, words: [], options, dataDir: '', isJson: true, terminal });
  const found = z.looseObject({ ok: z.boolean(), violations: z.array(z.looseObject({ seed: z.number() })) });
  const { ok, violations } = found.parse(JSON.parse(written.out));
  assert.deepEqual([code, ok, violations.length > 0], [1, false, true]);
});

test('[SM10] numbers that are none are a usage error', async () => {
  for (const text of ['0', '1.5', 'many']) {
    const { code, note } = await runInside(['sim', '--seeds', text]);
    assert.equal(code, 2);
    assert.match(note, /--seeds needs a whole number/);
  }
});

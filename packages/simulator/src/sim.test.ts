import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { sim } from './sim.ts';
import { simulate } from './simulation.ts';

async function runSim(args: readonly string[], run = simulate): Promise<{ code: number; out: string; note: string }> {
  const written = { out: '', note: '' };
  const code = await sim(
    args,
    { out: (text) => (written.out += text), note: (text) => (written.note += text), isWatched: false },
    run,
  );
  return { code, ...written };
}

test('[SM10] npm run sim prints the seeds, the coverage and that nothing was violated', async () => {
  const { code, out } = await runSim(['--seeds', '2', '--steps', '40']);
  assert.equal(code, 0);
  assert.match(out, /^seeds 1 to 2, 40 steps each, \d+ changes$/m);
  assert.match(out, /^ *lease-loss( +\d+){8}$/m);
  assert.match(out, /^no violations$/m);
});

test('[SM10] a single seed prints its trace, the same every time', async () => {
  const runs = [await runSim(['--seed', '7']), await runSim(['--seed', '7'])];
  assert.equal(runs[0]?.out, runs[1]?.out);
  assert.match(runs[0]?.out ?? '', /^seed 7\n {2}\d+ /);
});

test('[SM11] a violation is printed with its trace and how to replay it, and the exit code is 1', async () => {
  const { code, out } = await runSim(['--seeds', '10'], (options) => simulate({ ...options, fault: 'fence-removed' }));
  assert.equal(code, 1);
  assert.match(out, /VIOLATION fenced: /);
  assert.match(out, /^replay with: npm run sim -- --seed \d+ --steps \d+$/m);
  assert.match(out, /^VIOLATIONS with \d+ seeds: \d/m);
});

test('[SM11] with --json violations are part of the one document', async () => {
  const broken: typeof simulate = (options) => simulate({ ...options, fault: 'conflict-ignored' });
  const { code, out } = await runSim(['--seeds', '3', '--json'], broken);
  const found = z.looseObject({ ok: z.boolean(), violations: z.array(z.looseObject({ seed: z.number() })) });
  const { ok, violations } = found.parse(JSON.parse(out));
  assert.deepEqual([code, ok, violations.length > 0], [1, false, true]);
});

test('[SM10] numbers that are none, and options that do not exist, are refused with how it is used', async () => {
  for (const text of ['0', '1.5', 'many']) {
    const { code, note } = await runSim(['--seeds', text]);
    assert.equal(code, 2);
    assert.match(note, /--seeds needs a whole number/);
  }
  const { code, note } = await runSim(['--sed', '1']);
  assert.equal(code, 2);
  assert.match(note, /--sed[^]*Usage: npm run sim/);
  assert.match((await runSim(['--help'])).out, /^Looks for faults/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfShare, rounds, sampleOfRun, tellTried } from '@loom/blocks/testing';
import { Coverage } from './coverage.ts';
import { plantedFaults } from './planted-fault.ts';
import type { PlantedFault } from './planted-fault.ts';
import { regressionSeeds } from './testing/regression-seeds.ts';
import { simulate } from './simulation.ts';
import type { Simulation } from './simulation.ts';
import type { Invariant } from './violation.ts';

// A deep run sets more: a hundred take ten seconds.
const seeds = Number(process.env['LOOM_SIM_SEEDS'] ?? 40);

/** Others for each commit. */
const firstSeed = 1 + (sampleOfRun() % 1_000_000);

/** Seeds in whose runs, together, every two actions hit one turn in either order: few suffice until the kernel changes. */
const coveringSeeds = [156, 98, 2, 7, 85, 151, 33];

/** The most further seeds to try if those no longer cover all. */
const patience = 250;

test('[SM1] the same seed gives the same actions, the same log and the same coverage', async () => {
  for (const seed of [1, 2, 3]) {
    const [first, second] = [await simulate({ seed }), await simulate({ seed })];
    assert.deepEqual(first.trace, second.trace);
    assert.deepEqual(first.changes, second.changes);
    assert.equal(first.coverage.render(), second.coverage.render());
    assert.ok(first.changes.length > 1);
  }
});

test('[SM1] different seeds give different runs', async () => {
  const [first, second] = [await simulate({ seed: 1 }), await simulate({ seed: 2 })];
  assert.notDeepEqual(first.trace, second.trace);
});

test('[SM5] [SM6] [SM7] [SM13] many seeds, those among them that once found a defect: no violation, and every two actions hit one turn in either order', async (context) => {
  const coverage = new Coverage();
  const known = new Map(regressionSeeds.map(({ seed, found }) => [seed, found]));
  const chosen = [...new Set([...known.keys(), ...coveringSeeds])];
  const isEnough = (done: number): boolean =>
    done >= Math.max(chosen.length, seeds) && (coverage.missing().length === 0 || done >= seeds + patience);
  let tried = 0;
  const end = endOfShare(0.7);
  for (const round of rounds(isEnough, Infinity)) {
    if (round > chosen.length && coverage.missing().length === 0 && Date.now() > end) break;
    const seed = chosen[round - 1] ?? firstSeed + round;
    const simulation = await simulate({ seed });
    assertClean(simulation, known.get(seed) ?? 'a new one');
    coverage.merge(simulation.coverage);
    tried = round;
  }
  tellTried(context, tried, `seeds, after the known ones from ${firstSeed + chosen.length + 1} on`);
  context.diagnostic('the first action is the row, the second the column');
  for (const line of coverage.render().split('\n')) context.diagnostic(line);
  assert.deepEqual(coverage.missing(), []);
});

test('[SM12] many seeds with agents that run their own tools: no violation, and all that agents do happens', async (context) => {
  const done = new Set<string>();
  let tried = 0;
  const isEnough = (count: number): boolean => count >= seeds / 3 && (done.size === 6 || count >= seeds / 3 + patience);
  const end = endOfShare();
  for (const round of rounds(isEnough, Infinity)) {
    // The first ones show all that agents do.
    if (round > 13 && done.size === 6 && Date.now() > end) break;
    const seed = round <= 13 ? round : firstSeed + round;
    tried = round;
    const simulation = await simulate({ seed, hasAgents: true });
    assertClean(simulation, 'with agents');
    for (const op of simulation.changes.flatMap(({ ops }) => ops)) {
      if (op.type === 'approval') done.add(op.decision);
      if (op.type === 'turn-started' && op.started_by === 'agent') done.add('begun');
      if (op.type === 'node-added' && op.node.role === 'user' && op.node.turn !== undefined) done.add('heard');
      if (op.type === 'block-added' && op.block.type === 'conversation') done.add('child');
    }
  }
  tellTried(context, tried, 'seeds with agents');
  assert.deepEqual([...done].sort(), ['answered', 'approved', 'begun', 'child', 'denied', 'heard']);
});

/** The invariants that may catch each planted fault. */
const noticedBy: Record<PlantedFault, readonly Invariant[]> = {
  'fence-removed': ['fenced'],
  'conflict-ignored': ['state-equal', 'kept', 'id-once', 'fenced'],
  'tool-rerun': ['tool-once'],
  'blind-retry': ['id-once'],
  'notifications-lost': ['comes-to-rest'],
  'approver-unchecked': ['approved'],
};

/** The seeds that caught them when this was written. They are tried first, because they catch them again until the kernel changes. */
const lastCaughtBy: Record<PlantedFault, number> = {
  'fence-removed': 1,
  'conflict-ignored': 1,
  'tool-rerun': 251,
  'blind-retry': 109,
  'notifications-lost': 4,
  'approver-unchecked': 50,
};

for (const fault of plantedFaults) {
  test(`[SM8] within a few hundred seeds the planted fault ${fault} is caught`, async (context) => {
    for (let tried = 0; tried <= 450; tried += 1) {
      const seed = tried === 0 ? lastCaughtBy[fault] : tried;
      const { violations } = await simulate({ seed, fault });
      const found = violations.find(({ invariant }) => noticedBy[fault].includes(invariant));
      if (found === undefined) continue;
      context.diagnostic(`seed ${seed}: ${found.invariant}: ${found.message}`);
      return;
    }
    assert.fail('none of 450 seeds noticed that');
  });
}

function assertClean({ seed, hasAgents, violations, trace }: Simulation, about: string): void {
  const replay = `npm run sim -- --seed ${seed}${hasAgents ? ' --agents' : ''}`;
  const story = `seed ${seed} (${about})\n${trace.join('\n')}\nreplay with: ${replay}`;
  assert.deepEqual(violations, [], story);
}

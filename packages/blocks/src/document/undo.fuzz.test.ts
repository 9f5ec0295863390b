import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoggedText } from './testing/logged-text.ts';
import type { CreateText } from './testing/logged-text.ts';
import { runOfflineTrace } from './testing/offline-trace.ts';
import { NeverDeadText, ignoringSecondDeleters, takingCopiesForOriginals } from './testing/planted-fault.ts';
import { rounds, tellTried } from '../testing/rounds.ts';
import { SeededRandom } from './testing/seeded-random.ts';
import { UndoReference } from './testing/undo-reference.ts';
import { compare, runUndoTrace } from './testing/undo-trace.ts';

const seeds = Array.from({ length: 300 }, (_, seed) => seed);
/** More in the deep run. */
const traces = Number(process.env['LOOM_UNDO_TRACES'] ?? seeds.length);

const scenarios: Record<string, (seed: number, create?: CreateText) => string | undefined> = {
  disjoint: (seed, create) => runUndoTrace(seed, 'disjoint', create),
  overlapping: (seed, create) => runUndoTrace(seed, 'overlapping', create),
  nested: (seed, create) => runUndoTrace(seed, 'nested', create),
  offline: (seed, create) => runOfflineTrace(seed, create),
};

function firstFailure(run: (seed: number) => string | undefined, among = seeds): string | undefined {
  for (const seed of among) {
    const wrong = run(seed);
    if (wrong !== undefined) return `seed ${seed}, ${wrong}`;
  }
  return undefined;
}

for (const [index, [name, run]] of Object.entries(scenarios).entries()) {
  test(`[UN1][UN2][UN3][UN4][UN5][UN8] three agents undo and redo as the reference does, with restarts: ${name}`, (t) => {
    let tried = 0;
    for (const round of rounds((done) => done >= traces, 1 / (4 - index))) {
      assert.equal(firstFailure(run, [round - 1]), undefined);
      tried = round;
    }
    tellTried(t, tried, `traces of undo, ${name}`);
  });
}

test('[UN9][UN8] what was cut off never comes back, and its units are frozen as in the reference', () => {
  const some = seeds.slice(0, 60);
  assert.equal(
    firstFailure((seed) => runUndoTrace(seed, 'cut'), some),
    undefined,
  );
});

test('[UN1] thousands of deletions that were never asked about are all known at an undo', () => {
  const seed = 'abcdefgh'.repeat(150);
  const text = new LoggedText(seed, []);
  const reference = new UndoReference(seed);
  const random = new SeededRandom(1);
  const edit = (agent: string, unit: string): void => {
    const splices = [{ at: random.below(reference.visible.length - 1), delete: 1, insert: '' }];
    text.edit({ agent, unit }, splices);
    reference.edit(agent, unit, splices);
  };
  const flip = (agent: string, which: 'undo' | 'redo'): void => {
    const unit = which === 'undo' ? text.document.undoable(agent) : text.document.redoable(agent);
    text.flip(unit?.ordinal ?? -1);
    reference[which](agent);
    assert.equal(compare(text, reference), undefined);
  };
  for (let step = 0; step < 20; step += 1) edit('ada', 'first');
  flip('ada', 'undo');
  for (let step = 0; step < 1100; step += 1) edit('bob', `unit-${step % 3}`);
  flip('ada', 'redo');
  for (let step = 0; step < 3; step += 1) flip('bob', 'undo');
  flip('ada', 'undo');
  assert.equal(text.document.text, seed);
  for (let step = 0; step < 3; step += 1) flip('bob', 'redo');
});

const faults: Record<string, (run: (create?: CreateText) => string | undefined) => string | undefined> = {
  'the index ignores a second deleter': (run) => ignoringSecondDeleters(run),
  'a copy is not mapped to its original': (run) => takingCopiesForOriginals(run),
  'a new unit does not kill undone ones': (run) => run((seed, runs) => new NeverDeadText(seed, runs)),
};

for (const [fault, plant] of Object.entries(faults)) {
  test(`[UN10] the fuzz finds it when ${fault}`, () => {
    for (const name of ['overlapping', 'nested', 'offline']) {
      const run = scenarios[name];
      assert.ok(run !== undefined);
      const found = plant((create) => firstFailure((seed) => run(seed, create)));
      assert.notEqual(found, undefined, `not found by the scenario ${name}`);
      assert.equal(firstFailure(run, [0]), undefined, 'the fault is gone again');
    }
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '@loom/stores/memory';
import { openSqliteStore } from '@loom/stores/sqlite';
import { rounds, tellTried } from '@loom/blocks/testing';
import { seedOfRun } from '@loom/blocks/testing/corpus';
import { temporaryDirectory } from '@loom/kernel/testing';
import { runHostileValues } from './hostile-run.ts';
import { operations } from './operations.ts';

/** With each store; more in the deep run. */
const calls = 2_500;
const all = Number(process.env['LOOM_HOSTILE_CALLS'] ?? 2 * calls);
const seed = seedOfRun();

test(`[LO22] [OP8] 5,000 calls with hostile values, in memory and in SQLite: what is acknowledged can be read back (seed ${seed})`, async (context) => {
  const store = createMemoryStore();
  const directory = temporaryDirectory(context);
  const outcomes = [
    await runHostileValues({ seed, calls, open: async () => store.share() }),
    await runHostileValues({ seed: seed + 1, calls, open: () => openSqliteStore({ directory }) }),
  ];
  const count = (name: string, what: 'done' | 'refused'): number =>
    outcomes.reduce((sum, { answers }) => sum + (answers.get(name)?.[what] ?? 0), 0);
  const names = [...new Set(operations.map(({ name }) => name))];
  // No agent answers here, so nobody can be told how one goes on.
  const possible = names.filter((name) => name !== 'agent.continuation');
  const neverDone = (): string[] => possible.filter((name) => count(name, 'done') === 0);
  // Some can be done only while a turn runs, which depends on how busy the machine is: go on until most were.
  const memory = createMemoryStore();
  for (let more = 2; neverDone().length >= 4 && more < 40; more += 1) {
    const rather = [...neverDone(), 'turn.start', 'root.restore'];
    outcomes.push(await runHostileValues({ seed: seed + more, calls: 500, open: async () => memory.share(), rather }));
  }
  assert.deepEqual(
    outcomes.flatMap((run) => run.findings),
    [],
    `repeat it with LOOM_SEED=${seed}`,
  );
  let tried = 2 * calls;
  // The deep run goes on with further seeds, in SQLite and in memory in turn.
  for (const round of rounds((done) => done * calls >= all - 2 * calls)) {
    const open = async () => (round % 2 === 0 ? memory.share() : openSqliteStore({ directory }));
    const { findings } = await runHostileValues({ seed: seed + 100 + round, calls, open });
    assert.deepEqual(findings, [], `repeat it with LOOM_SEED=${seed + 100 + round}`);
    tried += calls;
  }
  tellTried(context, tried, 'calls with hostile values');
  context.diagnostic(`never done: ${neverDone().join(', ') || 'none'}`);
  assert.ok(neverDone().length < 4, neverDone().join());
  assert.deepEqual(
    names.filter((name) => count(name, 'refused') === 0),
    [],
  );
});

test('[LO22] the calls find a planted fault: a change that is applied otherwise than it is written', async () => {
  const store = createMemoryStore();
  const { findings } = await runHostileValues({
    seed: 1,
    calls: 1_500,
    open: async () => store.share(),
    plant: (engine) => {
      const log = engine.forest.log.bind(engine.forest);
      Reflect.set(engine.forest, 'log', (root: string) => {
        const real = log(root);
        const spoilTitle = async (): Promise<void> => {
          const state = await real.state();
          if (state.title !== undefined) state.title = `${state.title}\0`;
        };
        void spoilTitle();
        return real;
      });
    },
  });
  assert.notDeepEqual(findings, []);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openLoom } from '../open-loom.ts';
import { endHolders, startDoomed } from './testing/doomed-loom.ts';
import type { DoomedFault } from './testing/doomed-loom.ts';

/** Kills; each ends five commands. The deep run makes more. */
const kills = Number(process.env['LOOM_TOOL_KILLS'] ?? 20);
/** Kills of a whole Loom: the others are of the part of it that starts programs, which begins much faster. */
const wholeKills = Math.ceil(kills * 0.3);

/** Each says that it has begun through a pipe that it and everything it starts hold open. */
const scripts = [
  'echo ready >&3; exec sleep 1000',
  "trap '' TERM HUP INT; echo ready >&3; while :; do sleep 1000; done",
  "setsid sh -c 'echo ready >&3; exec sleep 1000' & wait",
  "(sh -c '(echo ready >&3; sleep 1000) &' &) ; sleep 1000",
  'setsid sh -c \'setsid sh -c "echo ready >&3; sleep 1000" & exit\' & sleep 1000',
];

interface Stage {
  dataDir: string;
  directory: string;
  /** A search path on which there is no bubblewrap: what a sandbox ends anyway is left to the guard. */
  withoutSandbox: string;
}

function createStage(t: TestContext): Stage {
  const top = realpathSync(temporaryDirectory(t));
  const [dataDir, directory, withoutSandbox] = ['data', 'work', 'bin'].map((name) => join(top, name));
  if (dataDir === undefined || directory === undefined || withoutSandbox === undefined) return assert.fail();
  for (const folder of [dataDir, directory, withoutSandbox]) mkdirSync(folder);
  writeFileSync(join(dataDir, 'config.toml'), '[[permissions]]\ntool = "shell"\neffect = "allow"\n');
  for (const program of ['bash', 'sh', 'sleep', 'setsid']) {
    const place = execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    symlinkSync(place, join(withoutSandbox, program));
  }
  return { dataDir, directory, withoutSandbox };
}

/** Kills a Loom in the middle of all commands; returns the programs that outlive it, and the milliseconds until the last one was gone. */
async function killOnce(
  t: TestContext,
  { dataDir, directory, withoutSandbox }: Stage,
  {
    name,
    isConfined,
    isWhole = true,
    fault,
  }: { name: string; isConfined: boolean; isWhole?: boolean; fault?: DoomedFault },
): Promise<{ outliving: string[]; took: number }> {
  const pipe = join(directory, `pipe-${name}`);
  execFileSync('mkfifo', [pipe]);
  const commands = scripts.map((script, index) => `exec 3>pipe-${name}; echo x >> ran-${name}-${index}; ${script}`);
  const doomed = startDoomed(t, {
    ...(isWhole ? { dataDir } : {}),
    directory,
    commands,
    pipe,
    fault,
    ...(isConfined ? {} : { path: withoutSandbox }),
  });
  for (const _script of scripts) assert.equal(await doomed.nextLine(), 'ready');
  return doomed.kill();
}

test(`[PS6] nothing that the part of Loom that starts programs has started outlives it, killed ${kills - wholeKills} times in the middle of ${scripts.length} commands`, async (t) => {
  const stage = createStage(t);
  const took: number[] = [];
  for (const kill of rounds((done) => done >= kills - wholeKills, 0.5)) {
    const { outliving, took: after } = await killOnce(t, stage, { name: `${kill}`, isConfined: false, isWhole: false });
    assert.deepEqual(outliving, []);
    took.push(after);
  }
  tellTried(t, took.length, `kills; the last program was gone after ${Math.max(...took).toFixed(0)} ms at most`);
});

test(`[PS8] after each of ${wholeKills} times kill -9 in the middle of ${scripts.length} commands all of them are gone, their blocks are interrupted, and none runs twice`, async (t) => {
  const stage = createStage(t);
  const took: number[] = [];
  for (const kill of rounds((done) => done >= wholeKills)) {
    const { outliving, took: after } = await killOnce(t, stage, { name: `${kill}`, isConfined: kill % 2 === 0 });
    assert.deepEqual(outliving, []);
    took.push(after);
  }
  tellTried(
    t,
    took.length,
    `kills of Loom; the last program was gone after ${Math.max(...took).toFixed(0)} ms at most`,
  );
  const loom = await openLoom({ dataDir: stage.dataDir, providers: [] });
  t.after(() => loom.close());
  const listed = await loom.call('root.list', { limit: 10_000 });
  assert.ok(listed.ok);
  assert.equal(listed.value.items.length, took.length * scripts.length);
  for (const { id } of listed.value.items) {
    const opened = await loom.open(id);
    assert.ok(opened.ok);
    const results = [...opened.value.nodes.values()].filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.map(({ tool, blocks }) => [tool, blocks.map(({ type, status }) => [type, status])]),
      [
        [
          'interrupted',
          [
            ['command', 'error'],
            ['text', 'error'],
          ],
        ],
      ],
    );
  }
  for (const kill of took.keys()) {
    for (const index of scripts.keys()) {
      assert.equal(readFileSync(join(stage.directory, `ran-${kill + 1}-${index}`), 'utf8'), 'x\n');
    }
  }
});

for (const [fault, what] of [
  ['past-the-guard', 'programs that are started past the guard'],
  ['dead-guard', 'a guard that dies with Loom'],
] as const) {
  test(`[PS8] the kills find a planted fault: ${what}`, async (t) => {
    const stage = createStage(t);
    const { outliving } = await killOnce(t, stage, {
      name: 'x',
      isConfined: false,
      isWhole: fault === 'past-the-guard',
      fault,
    });
    endHolders(join(stage.directory, 'pipe-x'));
    assert.notDeepEqual(outliving, []);
  });
}

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { Random } from '@loom/kernel/testing';
import { replaceFiles } from '../folder/replace-files.ts';
import type { FileGroup } from './turn-files.ts';
import { sameSide, Scene, treeOf } from './testing/file-scene.ts';
import { blindReplace, asIfUntouched } from './testing/undo-faults.ts';

const seed = Number(process.env['LOOM_SEED'] ?? 20_261_118);
const tries = Number(process.env['LOOM_UNDO_ROUNDS'] ?? 200);

/** A folder in memory where there is one: every write is synced, which takes most of the time on a disk. */
function folderInMemory(t: TestContext): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'loom-undo-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const linesBy = (by: RegExp, text = ''): string[] => text.split('\n').filter((line) => by.test(line));
const others = /^(?:person|program)/u;
const turns = /^turn/u;

/** The code under test, or a part of it with a fault. */
interface UndoParts {
  replace: typeof replaceFiles;
  /** Looks at the changes before they are taken back. */
  prepare: (scene: Scene, groups: FileGroup[], directory: string) => FileGroup[];
}

const real: UndoParts = { replace: replaceFiles, prepare: (_scene, groups) => groups };

interface Counts {
  restored: number;
  merged: number;
  left: number;
  crashed: number;
  meddled: number;
}

/** Makes a random tree that a turn, a person and another program edit, undoes the turn in several ways, and checks what became of all lines. */
async function tryRound(top: string, round: number, counts: Counts, { replace, prepare }: UndoParts): Promise<void> {
  const random = new Random(seed + round);
  const context = `round ${round}, seed ${seed + round}`;
  const directory = join(top, `${round}`);
  mkdirSync(directory);
  const scene = new Scene(random, directory);
  const paths = [...scene.files.keys()];
  const another = () => (random.below(2) === 0 ? ('person' as const) : ('program' as const));
  for (const path of paths) {
    for (let change = random.below(3); change > 0; change -= 1) scene.change(path, 'turn');
    // Others may write between two changes of the turn, and after them.
    if (random.below(4) === 0) {
      scene.change(path, another());
      if (random.below(2) === 0) scene.change(path, 'turn');
      if (random.below(3) === 0) scene.change(path, another());
    }
  }
  const left = treeOf(directory);
  const copy = (name: string): string => {
    const to = join(top, `${round}-${name}`);
    cpSync(directory, to, { recursive: true });
    return to;
  };
  const clone = copy('clone');
  const groupsIn = (place: string): FileGroup[] => prepare(scene, scene.groups(place), place);
  const outcome = await scene.turnFiles(replace).bring(groupsIn(clone), 'undone');
  const after = treeOf(clone);
  for (const path of paths) {
    const [now, at] = [after.get(path), left.get(path)];
    const steps = scene.steps.get(path);
    if (steps === undefined) {
      assert.deepEqual(now, at, `${context}: ${path} was not changed by the turn`);
      continue;
    }
    const isLeft = outcome.left.some((one) => one.path === path);
    assert.equal(
      outcome.restored.some((one) => one.path === path),
      !isLeft,
      context,
    );
    if (isLeft) {
      counts.left += 1;
      assert.deepEqual(now, at, `${context}: ${path} was left, so it is as it was`);
      continue;
    }
    counts.restored += 1;
    // Nothing that others wrote is gone (what the turn deleted of it is back), and nothing of the turn is left.
    const kept = new Set(linesBy(others, now?.text));
    assert.deepEqual(
      linesBy(others, at?.text).filter((line) => !kept.has(line)),
      [],
      `${context}: ${path}`,
    );
    assert.deepEqual(linesBy(turns, now?.text), [], `${context}: ${path}`);
    const isAlone =
      linesBy(others, at?.text).length === 0 &&
      steps.every(({ before: side }, index) => {
        const previous = steps[index - 1]?.after;
        return previous === undefined || JSON.stringify(previous) === JSON.stringify(side);
      });
    if (isAlone && sameSide(steps.at(-1)?.after, at))
      assert.ok(sameSide(steps[0]?.before, now), `${context}: ${path} goes back whole`);
    else counts.merged += 1;
  }
  // Doing it again brings back every line of the turn, and keeps those of others.
  const restored = outcome.restored.map(({ path }) => path);
  const redo = await scene.turnFiles(replace).bring(
    scene.groups(clone).filter(({ path }) => restored.includes(path)),
    'done',
  );
  const again = treeOf(clone);
  for (const { path } of redo.restored) {
    const lines = new Set(again.get(path)?.text.split('\n'));
    const lost =
      left
        .get(path)
        ?.text.split('\n')
        .filter((line) => !lines.has(line)) ?? [];
    // The turn may have deleted lines again that a person has put back meanwhile: never one that only others have written.
    assert.deepEqual(
      lost.filter((line) => turns.test(line) || others.test(line)),
      [],
      `${context}: ${path} done again`,
    );
  }
  // A program writes while files are taken back: between the look at one and its replacement.
  const busy = copy('busy');
  const meddled = new Map<string, string>();
  const beside: typeof replaceFiles = async (folder, wanted) => {
    const [first] = wanted;
    if (first !== undefined && random.below(3) === 0) meddled.set(first.path, scene.meddle(busy, first.path));
    return replace(folder, wanted);
  };
  const met = await scene.turnFiles(beside).bring(groupsIn(busy), 'undone');
  const busyTree = treeOf(busy);
  for (const [path, text] of meddled) {
    counts.meddled += 1;
    assert.equal(busyTree.get(path)?.text, text, `${context}: ${path} was written meanwhile`);
    assert.ok(
      met.left.some((one) => one.path === path && one.reason === 'changed-since'),
      `${context}: ${path}`,
    );
  }
  // A crash in the middle, and then the same once more.
  const survives = random.below(3);
  let writes = 0;
  const crashing: typeof replaceFiles = async (...given) => {
    if (writes === survives) throw new Error('crash');
    writes += 1;
    return replace(...given);
  };
  const crashed = await scene
    .turnFiles(crashing)
    .bring(groupsIn(directory), 'undone')
    .then(
      () => false,
      () => true,
    );
  if (crashed) counts.crashed += 1;
  await scene.turnFiles(replace).bring(groupsIn(directory), 'undone');
  assert.deepEqual(treeOf(directory), after, `${context}: a repeat finishes what a crash began`);
  for (const folder of [directory, clone, busy]) rmSync(folder, { recursive: true });
}

test(`[FU1] random changes by a turn, a person and a program, with crashes: what the turn did goes back, what others did stays (seed ${seed})`, async (t) => {
  const top = folderInMemory(t);
  const counts: Counts = { restored: 0, merged: 0, left: 0, crashed: 0, meddled: 0 };
  let tried = 0;
  for (const round of rounds((done) => done >= tries)) {
    await tryRound(top, round, counts, real);
    tried = round;
  }
  tellTried(t, tried, `trees: ${JSON.stringify(counts)}`);
  assert.ok(tried < 100 || Object.values(counts).every((count) => count > tried / 20), JSON.stringify(counts));
});

for (const [what, fault] of [
  ['a file that changed since is overwritten', { ...real, prepare: asIfUntouched }],
  ['a file that changes between the look at it and its replacement is overwritten', { ...real, replace: blindReplace }],
] as const) {
  test(`[FU1] the trees find a planted fault: ${what}`, async (t) => {
    const top = folderInMemory(t);
    const counts: Counts = { restored: 0, merged: 0, left: 0, crashed: 0, meddled: 0 };
    await assert.rejects(async () => {
      for (let round = 1; round <= 200; round += 1) await tryRound(top, round, counts, fault);
    }, assert.AssertionError);
  });
}

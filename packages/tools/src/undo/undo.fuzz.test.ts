import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Random, temporaryDirectory } from '@loom/kernel/testing';
import { replaceFiles } from '../folder/replace-files.ts';
import type { FileStep, FileSteps, KeptSide } from './file-steps.ts';
import { groupFiles, TurnFiles } from './turn-files.ts';

const seed = Number(process.env['LOOM_SEED'] ?? 20_261_118);
const rounds = Number(process.env['LOOM_UNDO_ROUNDS'] ?? 200);

type Side = { text: string; mode: number } | undefined;

/** Files with a mode, and what was done to them by a turn and by others. */
class Scene {
  readonly random: Random;
  readonly directory: string;
  readonly blobs = new Map<string, Uint8Array>();
  readonly files = new Map<string, Side>();
  readonly steps = new Map<string, FileStep[]>();
  #lines = 0;

  constructor(random: Random, directory: string) {
    this.random = random;
    this.directory = directory;
    const count = 2 + random.below(5);
    for (let number = 0; number < count; number += 1) {
      const path = `${['', 'a/', 'b/c/'][random.below(3)] ?? ''}f${number}`;
      const lines = Array.from({ length: random.below(12) }, () => this.#line('old'));
      this.#set(
        path,
        random.below(4) === 0 ? undefined : { text: lines.join(''), mode: [0o644, 0o755][random.below(2)] ?? 0o644 },
      );
    }
  }

  /** Makes a line that no one else makes. */
  #line(by: string): string {
    this.#lines += 1;
    return `${by} ${this.#lines}\n`;
  }

  /** Changes a file in one of several ways. */
  change(path: string, by: 'turn' | 'person'): void {
    const before = this.files.get(path);
    const after = this.#altered(before, by);
    this.#set(path, after);
    if (by !== 'turn') return;
    const step: FileStep = { path, turn: 't', before: this.#keep(before), after: this.#keep(after) };
    this.steps.set(path, [...(this.steps.get(path) ?? []), step]);
  }

  #altered(before: Side, by: string): Side {
    if (before === undefined) return { text: this.#line(by), mode: 0o644 };
    const choice = this.random.below(10);
    if (choice === 0) return undefined;
    if (choice === 1) return { ...before, mode: before.mode === 0o644 ? 0o755 : 0o644 };
    const lines = before.text.match(/[^\n]*\n/gu) ?? [];
    const at = this.random.below(lines.length + 1);
    const removed = this.random.below(3) === 0 ? this.random.below(3) : 0;
    const added = removed > 0 && this.random.below(2) === 0 ? [] : [this.#line(by)];
    return { ...before, text: [...lines.slice(0, at), ...added, ...lines.slice(at + removed)].join('') };
  }

  #keep(side: Side): KeptSide {
    if (side === undefined) return { type: 'absent' };
    const bytes = Buffer.from(side.text);
    const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    this.blobs.set(blob, bytes);
    return { type: 'content', blob, mode: side.mode };
  }

  #set(path: string, side: Side): void {
    this.files.set(path, side);
    const place = join(this.directory, path);
    if (side === undefined) return rmSync(place, { force: true });
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, side.text);
    chmodSync(place, side.mode);
  }

  groups(directory: string) {
    const files = Array.from(this.steps, ([path, steps]): FileSteps => ({ directory, path, steps }));
    return groupFiles(files);
  }

  turnFiles(replace: typeof replaceFiles = replaceFiles): TurnFiles {
    const put = async (bytes: Uint8Array): Promise<string> => {
      const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      this.blobs.set(blob, bytes);
      return blob;
    };
    return new TurnFiles({ get: async (id) => this.blobs.get(id), put }, replace);
  }
}

/** All files of a folder with their modes. */
function treeOf(directory: string, below = ''): Map<string, { text: string; mode: number }> {
  const found = new Map<string, { text: string; mode: number }>();
  for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) for (const [name, side] of treeOf(directory, path)) found.set(name, side);
    else
      found.set(path, {
        text: readFileSync(join(directory, path), 'utf8'),
        mode: statSync(join(directory, path)).mode & 0o777,
      });
  }
  return found;
}

const linesBy = (by: string, text = ''): string[] => text.split('\n').filter((line) => line.startsWith(by));

test(`[FU1] random changes by a turn and by others, with crashes: what the turn did goes back, what others did stays (seed ${seed})`, async (t) => {
  const top = temporaryDirectory(t);
  const counts = { restored: 0, merged: 0, left: 0, crashed: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const random = new Random(seed + round);
    const directory = join(top, `${round}`);
    mkdirSync(directory);
    const scene = new Scene(random, directory);
    const paths = [...scene.files.keys()];
    for (const path of paths) {
      for (let change = random.below(3); change > 0; change -= 1) scene.change(path, 'turn');
      // Another program may write between two changes of the turn, and a person after them.
      if (random.below(4) === 0) {
        scene.change(path, 'person');
        if (random.below(2) === 0) scene.change(path, 'turn');
      }
    }
    const left = new Map(treeOf(directory));
    const clone = join(top, `${round}-clone`);
    cpSync(directory, clone, { recursive: true });
    const outcome = await scene.turnFiles().bring(scene.groups(clone), 'undone');
    const after = treeOf(clone);
    const context = `round ${round}, seed ${seed + round}`;
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
      const kept = new Set(linesBy('person', now?.text));
      assert.deepEqual(
        linesBy('person', at?.text).filter((line) => !kept.has(line)),
        [],
        `${context}: ${path}`,
      );
      assert.deepEqual(linesBy('turn', now?.text), [], `${context}: ${path}`);
      const isAlone =
        linesBy('person', at?.text).length === 0 &&
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
    const redo = await scene.turnFiles().bring(
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
        lost.filter((line) => /^(?:turn|person)/u.test(line)),
        [],
        `${context}: ${path} done again`,
      );
    }
    // A crash in the middle, and then the same once more.
    const survives = random.below(3);
    let writes = 0;
    const crashing: typeof replaceFiles = async (...given) => {
      if (writes === survives) throw new Error('crash');
      writes += 1;
      return replaceFiles(...given);
    };
    const crashed = await scene
      .turnFiles(crashing)
      .bring(scene.groups(directory), 'undone')
      .then(
        () => false,
        () => true,
      );
    if (crashed) counts.crashed += 1;
    await scene.turnFiles().bring(scene.groups(directory), 'undone');
    assert.deepEqual(treeOf(directory), after, `${context}: a repeat finishes what a crash began`);
    rmSync(directory, { recursive: true });
    rmSync(clone, { recursive: true });
  }
  assert.ok(rounds < 100 || Object.values(counts).every((count) => count > rounds / 20), JSON.stringify(counts));
});

function sameSide(side: KeptSide | undefined, disk: { text: string; mode: number } | undefined): boolean {
  if (disk === undefined) return side?.type === 'absent';
  const hash = createHash('sha256').update(disk.text).digest('hex');
  return side?.type === 'content' && side.blob === `sha256:${hash}` && side.mode === disk.mode;
}

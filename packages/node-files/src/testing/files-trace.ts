import assert from 'node:assert/strict';
import { seededRandom } from '@loom/kernel/testing';
import { FilesWorld } from './files-world.ts';
import type { FilesWorldOptions } from './files-world.ts';

export type TraceOptions = FilesWorldOptions & { seed: number };

/** The outcome of a trace. */
export interface TraceResult {
  calls: number;
  /** The number of failed reads and writes. */
  failures: number;
}

/**
 * Users talk, a model streams, other programs edit and delete files, until all is done or the planned crash. Then the power may be cut, and another
 * process continues. Every file has to be whole at every moment; in the end all files match the log, and every saved edit is in the log once.
 */
export async function runTrace(options: TraceOptions): Promise<TraceResult> {
  const random = seededRandom(options.seed);
  const world = await FilesWorld.create(options);
  const trace = new Trace(world, random);
  const result = (): TraceResult => ({ calls: world.disk.calls, failures: world.reported('failed').length });
  for (const step of trace.steps()) {
    await step();
    if (world.disk.crashed) break;
  }
  let isWritten = false;
  if (!world.disk.crashed) {
    await world.settle(200_000);
    const { failures } = result();
    await world.shutDown();
    isWritten = !world.disk.crashed && result().failures === failures;
  }
  if (random() < 0.7) world.disk.cutPower();
  await trace.assertWhole();
  // Files written when the process ended have to be there without being written again.
  if (isWritten) await world.assertWritten();
  do {
    // The crash may also hit the process that makes repairs.
    await world.boot();
    await world.settle(200_000);
  } while (world.disk.crashed);
  await world.assertWritten();
  await trace.assertEdits();
  return result();
}

/** The events of a trace, and their expected results. */
class Trace {
  readonly #world: FilesWorld;
  readonly #random: () => number;
  /** The marks that were saved into files, with their places. */
  readonly #saved: { root: string; node: string; mark: string }[] = [];
  #roots: string[] = [];
  #marks = 0;

  constructor(world: FilesWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  *steps(): Generator<() => Promise<void>> {
    yield () => this.#create();
    yield () => this.#world.settle(500);
    for (let count = 0; count < 4; count += 1) {
      yield () => this.#say();
      if (this.#random() < 0.4) yield () => this.#world.settle(300);
      yield () => this.#edit();
      if (this.#random() < 0.4) yield () => this.#world.settle(100);
      if (this.#random() < 0.3) yield () => this.#stream();
      if (this.#random() < 0.3) yield () => this.#remove();
      yield () => this.#world.settle(1500);
    }
  }

  /** Asserts that every file is one that Loom or another program has written. */
  async assertWhole(): Promise<void> {
    for (const root of this.#roots) {
      for (const name of await this.#world.list(`${root}/nodes`)) {
        if (!name.endsWith('.json')) continue;
        const text = (await this.#world.read(`${root}/nodes/${name}`)) ?? '';
        assert.ok(isJson(text), `${root}/nodes/${name} is torn`);
      }
    }
  }

  async assertEdits(): Promise<void> {
    for (const { root, node, mark } of this.#saved) {
      const text = await this.#world.text(root, node);
      assert.equal(text.split(mark).length - 1, 1, `the edit ${mark} of ${node} is not there once: ${text}`);
    }
    assert.deepEqual(await this.#world.list('quarantine'), []);
  }

  async #create(): Promise<void> {
    this.#roots.push(await this.#world.createRoot());
    if (this.#random() < 0.5) this.#roots.push(await this.#world.createRoot());
  }

  async #say(): Promise<void> {
    const root = this.#pick(this.#roots);
    const nodes = [...(await this.#world.state(root)).nodes.keys()];
    await this.#world.say(root, this.#pick([root, ...nodes]), `one two three ${this.#random()}\nfour\n`);
  }

  async #stream(): Promise<void> {
    const answer = await this.#world.begin(this.#pick(this.#roots), this.#pick(this.#roots));
    await answer.write('streaming ');
    await this.#world.settle(300);
    await answer.write('on\n');
    await answer.end();
  }

  async #edit(): Promise<void> {
    const found = await this.#pickFile();
    if (found === undefined) return;
    const { root, name, text } = found;
    this.#marks += 1;
    const mark = `<${this.#marks}>`;
    const edited = text.replace('two ', `two ${mark} `);
    if (edited === text) return;
    await this.#world.save(`${root}/nodes/${name}`, edited, this.#random() < 0.5 ? 'in-place' : 'rename');
    this.#saved.push({ root, node: `${root}/${name.slice(0, -5)}`, mark });
  }

  async #remove(): Promise<void> {
    const found = await this.#pickFile();
    // A file that was saved a moment ago and is deleted again would be gone.
    if (found === undefined || this.#saved.some(({ node }) => node === `${found.root}/${found.name.slice(0, -5)}`))
      return;
    await this.#world.remove(`${found.root}/nodes/${found.name}`);
  }

  async #pickFile(): Promise<{ root: string; name: string; text: string } | undefined> {
    const root = this.#pick(this.#roots);
    const names = (await this.#world.list(`${root}/nodes`)).filter((name) => name.endsWith('.json'));
    if (names.length === 0) return undefined;
    const name = this.#pick(names);
    return { root, name, text: (await this.#world.read(`${root}/nodes/${name}`)) ?? '' };
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] ?? assert.fail('there is nothing to pick from');
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

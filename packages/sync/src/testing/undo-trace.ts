import { UndoReference } from '@loom/blocks/testing/undo-reference';
import type { Replica } from '../index.ts';
import { deliverAll } from './delivery.ts';
import { MemoryPair } from './memory-pair.ts';
import { SeededRandom } from './seeded-random.ts';
import { settle, SyncWorld } from './sync-world.ts';
import { TextMirrors } from './text-mirrors.ts';

const agents = ['ann', 'bob'];
const first = 0x4e00;

/**
 * Two people type in one block, undo and redo, now with a connection and now without, over connections that are cut and out
 * of order and a server that is restarted. In the end the characters must be there that the reference of undo says, which
 * knows of no connections. Returns the problem, or `undefined`.
 */
export async function runUndoTrace(seed: number, steps = 40): Promise<string | undefined> {
  const trace = new UndoTrace(seed);
  await trace.begin();
  for (let step = 0; step < steps; step += 1) await trace.step();
  return trace.finish();
}

/** One person, the client, and the unit that the next typing belongs to. */
interface Typist {
  readonly agent: string;
  readonly pair: MemoryPair;
  readonly mirrors: TextMirrors;
  unit: number;
  /** The next typing begins a unit. */
  begins: boolean;
  /** True if the block was opened anew: units that were taken back unsent cannot be redone. */
  isReopened: boolean;
}

class UndoTrace {
  readonly #random: SeededRandom;
  readonly #world = new SyncWorld();
  readonly #model: UndoReference;
  readonly #typists: Typist[] = [];
  #block = '';
  #used = 0;
  #log: string[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#model = new UndoReference(this.#next(5));
  }

  async begin(): Promise<void> {
    this.#block = await this.#world.begin(this.#model.text);
    for (const agent of agents) {
      const mirrors = new TextMirrors();
      const replica: Replica = this.#world.replica(agent, {
        onChange: (what) => {
          mirrors.hear(replica, what);
          if (what.type === 'text' && what.by.agent === undefined) [typist.begins, typist.isReopened] = [true, true];
        },
      });
      const pair = new MemoryPair(replica, { agent, mayWrite: true }, this.#random);
      const typist: Typist = { agent, pair, mirrors, unit: 0, begins: true, isReopened: false };
      pair.connect(this.#world.room);
      await deliverAll(pair);
      mirrors.open(replica, this.#block);
      await deliverAll(pair);
      this.#typists.push(typist);
    }
  }

  async step(): Promise<void> {
    const kind = this.#random.below(100);
    const typist = this.#random.pick(this.#typists);
    if (typist === undefined) return;
    if (kind < 35) this.#type(typist);
    else if (kind < 55) this.#undo(typist);
    else if (kind < 67) this.#redo(typist);
    else if (kind < 85) await this.#deliver();
    else if (kind < 98) this.#changeConnection(typist);
    else await this.#restart();
  }

  async finish(): Promise<string | undefined> {
    for (const { pair } of this.#typists) if (!pair.isConnected) pair.connect(this.#world.room);
    await deliverAll(...this.#typists.map(({ pair }) => pair));
    const text = (await this.#world.textOf(this.#block)) ?? '';
    const expected = this.#model.text;
    if (sorted(text) !== sorted(expected)) return `${text}, but of ${expected} after ${this.#log.join('; ')}`;
    for (const { agent, pair, mirrors } of this.#typists) {
      const { replica } = pair;
      if (replica.text(this.#block) !== text) return `${agent} has ${replica.text(this.#block)} for ${text}`;
      if (replica.unsaved.length > 0) return `${agent} never saved`;
      const wrong = mirrors.check(replica);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #type(typist: Typist): void {
    const { agent, pair } = typist;
    const { replica } = pair;
    // A unit of which the server may have a part is another one at a client without a connection.
    const isUnderWay = pair.isConnected && (!pair.isQuiet || replica.unsaved.length > 0);
    if (typist.begins || isUnderWay || this.#random.chance(60)) {
      this.#world.clock.advance(1100);
      for (const each of this.#typists) each.begins = true;
      typist.unit += 1;
      typist.begins = false;
    }
    const text = replica.text(this.#block) ?? '';
    const at = this.#random.below(text.length + 1);
    const count = this.#random.chance(50) ? this.#random.below(Math.min(4, text.length - at + 1)) : 0;
    const insert = count === 0 || this.#random.chance(60) ? this.#next(1 + this.#random.below(3)) : '';
    typist.isReopened = false;
    this.#model.note(agent, `unit-${typist.unit}`, insert, text.slice(at, at + count));
    replica.edit(this.#block, [{ at, delete: count, insert }]);
    this.#say(typist, `+${insert} -${text.slice(at, at + count)} in ${typist.unit}`);
  }

  #undo(typist: Typist): void {
    // Only the server knows that an undo finds nothing, and a redo behind it is another thing there.
    if (this.#model.undo(typist.agent) === undefined) return;
    typist.begins = true;
    typist.pair.replica.undo(this.#block);
    this.#say(typist, 'undo');
  }

  #redo(typist: Typist): void {
    if (typist.isReopened) return;
    this.#model.redo(typist.agent);
    typist.begins = true;
    typist.pair.replica.redo(this.#block);
    this.#say(typist, 'redo');
  }

  async #deliver(): Promise<void> {
    for (let count = this.#random.below(12); count >= 0; count -= 1) this.#random.pick(this.#typists)?.pair.deliver();
    await settle();
  }

  #changeConnection(typist: Typist): void {
    typist.begins = true;
    if (typist.pair.isConnected) typist.pair.cut();
    else typist.pair.connect(this.#world.room);
    this.#say(typist, typist.pair.isConnected ? 'connect' : 'cut');
  }

  async #restart(): Promise<void> {
    await this.#world.restart();
    for (const typist of this.#typists) typist.begins = true;
    this.#log.push('restart');
  }

  #say({ agent, pair }: Typist, what: string): void {
    this.#log.push(`${agent} (${pair.replica.status}) ${what} = ${pair.replica.text(this.#block)}`);
  }

  /** Characters of which there is one each. */
  #next(count: number): string {
    this.#used += count;
    return Array.from({ length: count }, (_, index) => String.fromCharCode(first + this.#used - count + index)).join(
      '',
    );
  }
}

function sorted(text: string): string {
  return Array.from(text).sort().join('');
}

import type { TextSplice } from '../../text/text-splice.ts';
import type { SeedRun } from '../block-text.ts';
import { LoggedText, differ } from './logged-text.ts';
import type { CreateText } from './logged-text.ts';
import { SeededRandom } from './seeded-random.ts';
import { UndoReference } from './undo-reference.ts';

/**
 * `disjoint`: every agent keeps to its own part of the text. `overlapping`: all agents edit everywhere. `nested`: edits go
 * into the insertions of others, and to places where something is hidden. `cut`: like `nested`, and the text loses its
 * beginning.
 */
export type Scenario = 'disjoint' | 'overlapping' | 'nested' | 'cut';

export const agents = ['ada', 'bob', 'cy'] as const;

/**
 * Some agents edit, append, undo and redo at random in a text and in the reference; now and then everything restarts.
 * Returns the first difference.
 */
export function runUndoTrace(seed: number, scenario: Scenario, create?: CreateText, steps = 50): string | undefined {
  const random = new SeededRandom(seed);
  const start =
    scenario === 'disjoint' ? 'one part|another part|a third part' : randomText(random, 10 + random.below(20));
  const runs = scenario === 'disjoint' ? [] : randomRuns(random, start.length);
  const text = new LoggedText(start, runs, create);
  const reference = new UndoReference(start, runs);
  const writer = new Writer(random, scenario, text, reference);
  for (let step = 0; step < steps; step += 1) {
    const where = `step ${step}: `;
    try {
      const did = writer.step();
      const wrong = compare(text, reference) ?? (random.chance(3) ? text.restart(agents) : undefined);
      if (wrong !== undefined) return `${where}after ${did}, ${wrong}`;
    } catch (error) {
      return where + String(error instanceof Error ? error.stack : error);
    }
  }
  return text.restart(agents) ?? compare(text, reference);
}

export function compare({ document, spliced }: LoggedText, reference: UndoReference): string | undefined {
  const { text } = reference;
  if (document.text !== text) return differ('the text', document.text, text);
  if (spliced !== text) return differ('the text that the splices give', spliced, text);
  return compareUnits({ document }, reference);
}

export function compareUnits({ document }: Pick<LoggedText, 'document'>, reference: UndoReference): string | undefined {
  const { units } = document;
  if (units.length !== reference.units.length)
    return differ('the number of units', units.length, reference.units.length);
  for (const [ordinal, { agent, name, active, phase }] of reference.units.entries()) {
    const unit = units[ordinal];
    if (unit?.agent === agent && unit.name === name && unit.active === active && unit.phase === phase) continue;
    const is = unit && { agent: unit.agent, name: unit.name, active: unit.active, phase: unit.phase };
    return differ(`unit ${ordinal}`, is, { agent, name, active, phase });
  }
  for (const agent of agents) {
    for (const which of ['undoable', 'redoable'] as const) {
      const [unit, expected] = [document[which](agent)?.ordinal, reference[which](agent)];
      const ordinal = expected && reference.units.indexOf(expected);
      if (unit !== ordinal) return differ(`what ${agent} has ${which}`, unit, ordinal);
    }
  }
  return undefined;
}

class Writer {
  readonly #random: SeededRandom;
  readonly #scenario: Scenario;
  readonly #text: LoggedText;
  readonly #reference: UndoReference;
  readonly #bursts = new Map<string, number>();

  constructor(random: SeededRandom, scenario: Scenario, text: LoggedText, reference: UndoReference) {
    this.#random = random;
    this.#scenario = scenario;
    this.#text = text;
    this.#reference = reference;
  }

  step(): string {
    const agent = this.#random.pick(agents);
    const kind = this.#random.below(100);
    if (kind < 25 && this.#scenario !== 'disjoint') return this.#append(agent);
    if (kind < 45) return this.#flip(agent, 'undo');
    if (kind < 58) return this.#flip(agent, 'redo');
    if (kind < 61 && this.#scenario === 'cut') return this.#cut();
    return this.#edit(agent);
  }

  #edit(agent: string): string {
    const author = { agent, unit: this.#unit(agent) };
    const splices = this.#splices(agent);
    const hasUpdate = this.#random.chance(90);
    this.#text.edit(author, splices, hasUpdate);
    this.#reference.edit(agent, author.unit, splices, !hasUpdate);
    return `edit ${JSON.stringify([author, splices])}`;
  }

  #append(agent: string): string {
    const isStream = this.#random.chance(60);
    // A stream may also make edits that are not appends.
    const unit = isStream && this.#random.chance(90) ? `turn-${this.#random.below(2)}` : this.#unit(agent);
    const text = randomText(this.#random, 1 + this.#random.below(4));
    this.#text.append({ agent, unit }, text, isStream);
    this.#reference.append(agent, unit, text, isStream);
    return `append ${JSON.stringify([agent, unit, text, isStream])}`;
  }

  #flip(agent: string, which: 'undo' | 'redo'): string {
    const { document } = this.#text;
    const unit = which === 'undo' ? document.undoable(agent) : document.redoable(agent);
    if (unit !== undefined) this.#text.flip(unit.ordinal);
    this.#reference[which](agent);
    return `${which} of ${agent}`;
  }

  #cut(): string {
    const offset = this.#random.below(Math.min(8, this.#reference.visible.length + 1));
    this.#text.cut(offset);
    this.#reference.cut(offset);
    return `cut at ${offset}`;
  }

  #unit(agent: string): string {
    const burst = (this.#bursts.get(agent) ?? 0) + (this.#random.chance(60) ? 1 : 0);
    this.#bursts.set(agent, burst);
    // Now and then an agent goes on with a unit that is long past.
    return `typing-${this.#random.chance(5) ? this.#random.below(burst + 1) : burst}`;
  }

  #splices(agent: string): TextSplice[] {
    const [from, to] = this.#region(agent);
    const splices: TextSplice[] = [];
    for (let at = from + this.#random.below(to - from + 1); at <= to; at += 1 + this.#random.below(6)) {
      const count = this.#random.chance(50) ? this.#random.below(Math.min(6, to - at + 1)) : 0;
      const insert = this.#random.chance(60) ? randomText(this.#random, 1 + this.#random.below(4)) : '';
      splices.push({ at, delete: count, insert });
      if (this.#random.chance(70)) break;
      at += count;
    }
    return splices;
  }

  #region(agent: string): readonly [number, number] {
    const { visible, characters, text } = this.#reference;
    if (this.#scenario === 'disjoint') {
      const [first, second] = [text.indexOf('|'), text.lastIndexOf('|')];
      if (agent === agents[0]) return [0, first];
      return agent === agents[1] ? [first + 1, second] : [second + 1, text.length];
    }
    if (this.#scenario === 'overlapping' || visible.length === 0 || this.#random.chance(20)) return [0, visible.length];
    const isInteresting = visible.map(
      (character, at) =>
        (character.by !== undefined && character.by.agent !== agent) ||
        characters[characters.indexOf(character) + 1] !== visible[at + 1],
    );
    const places = visible.flatMap((_, at) => (isInteresting[at] === true ? [at] : []));
    if (places.length === 0) return [0, visible.length];
    const at = this.#random.pick(places) + this.#random.below(2);
    return [at, Math.min(visible.length, at + 4)];
  }
}

/**
 * Returns a text of few different characters, so that its neighbors do not make a wrong one in the right place look right.
 */
function randomText(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(0x61 + random.below(26))).join('');
}

function randomRuns(random: SeededRandom, length: number): SeedRun[] {
  const runs: SeedRun[] = [];
  for (let at = random.below(8); at < length;) {
    const run = Math.min(length - at, 1 + random.below(6));
    runs.push({ agent: random.pick(agents), unit: `turn-${random.below(2)}`, at, length: run });
    at += run + (random.chance(50) ? random.below(4) : 0);
  }
  return runs;
}

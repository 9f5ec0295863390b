import type { EditAuthor } from './block-text.ts';
import { pushRange } from './id-range.ts';
import type { IdRange } from './id-range.ts';
import { RangeMap } from './range-map.ts';

/** The insertions and deletions of an edit, the deleted by the ids under which the characters first came into the text. */
interface IdEdit {
  readonly inserted: IdRange[];
  readonly deleted: IdRange[];
}

/** The unit of undo: one tool call, one streamed turn, one burst of typing, by one agent. */
export interface UndoUnit {
  /** Its place in the order in which the units of a text began. */
  readonly ordinal: number;
  readonly agent: string;
  readonly name: string;
  /** True if its insertions are there and its deletions hold, as far as nothing else hides or holds the same characters. */
  readonly active: boolean;
  /**
   * `open`: later edits of the same name belong to it. `closed`: it can still be undone or redone. `dead`: it was undone and
   * the agent has done something else since. `frozen`: the text was cut in the middle of it, and it keeps its effect.
   */
  readonly phase: 'open' | 'closed' | 'dead' | 'frozen';
  /** Its insertions and deletions, by the ids under which the characters first came into the text. */
  readonly inserted: readonly IdRange[];
  readonly deleted: readonly IdRange[];
}

/**
 * The units of one text and the rule by which they work: a character is visible if and only if the unit that inserted it is
 * active and no active unit deletes it. Characters that no unit inserted are visible until something deletes them.
 */
export class UndoUnits {
  readonly #units: Unit[] = [];
  readonly #stacks = new Map<string, Stacks>();
  readonly #open = new Map<string, Unit>();
  readonly #inserter = new RangeMap<Unit>();
  #deleters = new RangeMap<readonly Unit[]>();
  /** Deletions that `#deleters` does not know yet: most are never asked for. */
  #unindexed: Deletion[] = [];
  /** Characters that were taken out for good, by no unit. */
  readonly #cutAway = new RangeMap<boolean>();

  get all(): readonly UndoUnit[] {
    return this.#units;
  }

  /** The unit that an agent's undo would take back. */
  undoable(agent: string): UndoUnit | undefined {
    return this.#stacks.get(agent)?.done.at(-1);
  }

  /** The unit that an agent's redo would bring back. */
  redoable(agent: string): UndoUnit | undefined {
    return this.#stacks.get(agent)?.undone.at(-1);
  }

  /** The character that an agent's units of one name inserted last. */
  lastInserted(agent: string, name: string): { client: number; clock: number } | undefined {
    const isMeant = (unit: Unit): boolean => unit.agent === agent && unit.name === name && unit.inserted.length > 0;
    const unit = this.#open.get(openKey(agent, name));
    const last = (unit && isMeant(unit) ? unit : this.#units.findLast(isMeant))?.inserted.at(-1);
    return last && { client: last.client, clock: last.clock + last.length - 1 };
  }

  /** Takes note of an edit, whose lists become the unit's. It extends the agent's open unit of that name, else it begins one. */
  record({ agent, unit: name, isWhole = false }: EditAuthor, edit: IdEdit): UndoUnit {
    const open = isWhole ? undefined : this.#open.get(openKey(agent, name));
    const unit = open ?? this.#begin(agent, name, isWhole ? 'closed' : 'open', edit);
    for (const range of edit.inserted) {
      if (open !== undefined) pushRange(unit.inserted, range);
      this.#inserter.set(range, unit);
    }
    for (const range of edit.deleted) {
      if (open !== undefined) pushRange(unit.deleted, range);
      this.#unindexed.push({ range, unit });
    }
    return unit;
  }

  /** Undoes a unit that is active, or redoes one that is not. */
  flip(ordinal: number): void {
    const unit = this.#unitAt(ordinal);
    const { done, undone } = this.#stacksOf(unit.agent);
    const [from, to] = unit.active ? [done, undone] : [undone, done];
    const place = from.lastIndexOf(unit);
    if (place === -1) throw new RangeError(`unit ${ordinal} is ${unit.phase} and cannot be flipped`);
    from.splice(place, 1);
    to.push(unit);
    unit.active = !unit.active;
    this.#close(unit);
  }

  /**
   * Returns the characters that a unit inserted or deleted, in uniform ranges, each marked visible if it would be seen once
   * the unit were flipped.
   */
  visibilityFlipped(ordinal: number): (IdRange & { visible: boolean })[] {
    const unit = this.#unitAt(ordinal);
    this.#indexDeletions();
    // Characters that it both inserted and deleted are looked at once.
    const own = new RangeMap<boolean>();
    for (const range of unit.inserted) own.set(range, true);
    const others = unit.deleted.flatMap((range) => own.segments(range).filter(({ value }) => value === undefined));
    return [...unit.inserted, ...withoutRepeats(others)].flatMap((range) => this.#visibility(range, unit));
  }

  /** Characters were taken out of the text by no unit. The units that they belong to are frozen. */
  cut(ranges: readonly IdRange[]): void {
    for (const range of ranges) this.#cutAway.set(range, true);
    for (const unit of this.#units) {
      const touched = [...unit.inserted, ...unit.deleted].flatMap((range) => this.#cutAway.segments(range));
      if (touched.some(({ value }) => value === true)) this.#freeze(unit);
    }
  }

  /** Cuts a run into parts that are alike, with whether they are seen while one unit is the other way round. */
  #visibility(range: IdRange, flipped: Unit): (IdRange & { visible: boolean })[] {
    const isActive = (unit: Unit): boolean => unit.active !== (unit === flipped);
    return this.#inserter.segments(range).flatMap((inserted) =>
      this.#deleters.segments(inserted).flatMap((deleted) =>
        this.#cutAway.segments(deleted).map(({ client, clock, length, value: isCut = false }) => {
          const isInserted = inserted.value === undefined || isActive(inserted.value);
          const isDeleted = isCut || deleted.value?.some(isActive) === true;
          return { client, clock, length, visible: isInserted && !isDeleted };
        }),
      ),
    );
  }

  #indexDeletions(): void {
    // Many at once are faster in the order of their ids, together with those that are there.
    if (this.#unindexed.length > 1000) {
      this.#deleters = new RangeMap();
      this.#unindexed = this.#units.flatMap((unit) => unit.deleted.map((range) => ({ range, unit })));
      this.#unindexed.sort((a, b) => a.range.client - b.range.client || a.range.clock - b.range.clock);
    }
    for (const { range, unit } of this.#unindexed) {
      this.#deleters.update(range, (units = []) => (units.includes(unit) ? units : withUnit(units, unit)));
    }
    this.#unindexed = [];
  }

  #begin(agent: string, name: string, phase: 'open' | 'closed', { inserted, deleted }: IdEdit): Unit {
    const ordinal = this.#units.length;
    const unit: Unit = { ordinal, agent, name, active: true, phase, inserted, deleted };
    this.#units.push(unit);
    if (phase === 'open') this.#open.set(openKey(agent, name), unit);
    const { done, undone } = this.#stacksOf(agent);
    if (undone.length > 0) for (const dead of undone.splice(0)) dead.phase = 'dead';
    done.push(unit);
    return unit;
  }

  #close(unit: Unit): void {
    if (unit.phase !== 'open') return;
    unit.phase = 'closed';
    this.#open.delete(openKey(unit.agent, unit.name));
  }

  #freeze(unit: Unit): void {
    this.#close(unit);
    if (unit.phase === 'dead') return;
    unit.phase = 'frozen';
    const { done, undone } = this.#stacksOf(unit.agent);
    for (const stack of [done, undone]) {
      const place = stack.indexOf(unit);
      if (place !== -1) stack.splice(place, 1);
    }
  }

  #unitAt(ordinal: number): Unit {
    const unit = this.#units[ordinal];
    if (unit === undefined) throw new RangeError(`there is no unit ${ordinal}`);
    return unit;
  }

  #stacksOf(agent: string): Stacks {
    const known = this.#stacks.get(agent);
    if (known !== undefined) return known;
    const stacks: Stacks = { done: [], undone: [] };
    this.#stacks.set(agent, stacks);
    return stacks;
  }
}

interface Unit extends UndoUnit {
  active: boolean;
  phase: UndoUnit['phase'];
  readonly inserted: IdRange[];
  readonly deleted: IdRange[];
}

interface Deletion {
  readonly range: IdRange;
  readonly unit: Unit;
}

interface Stacks {
  /** Units that can be undone, and those that can be redone; the next one last. */
  readonly done: Unit[];
  readonly undone: Unit[];
}

/** The list of deleters that a unit is alone in; one for each, so that neighboring runs can be recognized as alike. */
const alone = new WeakMap<Unit, readonly Unit[]>();

function withUnit(units: readonly Unit[], unit: Unit): readonly Unit[] {
  if (units.length > 0) return [...units, unit];
  const known = alone.get(unit);
  if (known !== undefined) return known;
  const list = [unit];
  alone.set(unit, list);
  return list;
}

/** The same characters, each of them once. */
function withoutRepeats(ranges: readonly IdRange[]): IdRange[] {
  const seen = new RangeMap<boolean>();
  return ranges.flatMap((range) => {
    const fresh = seen.segments(range).filter(({ value }) => value === undefined);
    seen.set(range, true);
    return fresh;
  });
}

function openKey(agent: string, name: string): string {
  return `${agent}\n${name}`;
}

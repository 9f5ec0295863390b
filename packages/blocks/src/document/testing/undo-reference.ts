/** A character of the reference: where it is in the list is where it is in the document, seen or not. */
export interface ReferenceCharacter {
  readonly code: string;
  readonly by: ReferenceUnit | undefined;
  readonly deletedBy: Set<ReferenceUnit>;
  cut: boolean;
}

export interface ReferenceUnit {
  readonly agent: string;
  readonly name: string;
  active: boolean;
  phase: 'open' | 'closed' | 'dead' | 'frozen';
  last: ReferenceCharacter | undefined;
}

/**
 * The meaning of undo, as plainly as it can be said: a character is visible if and only if the unit that inserted it is
 * active and no active unit deletes it. Every question is answered by going through everything.
 */
export class UndoReference {
  characters: ReferenceCharacter[] = [];
  readonly units: ReferenceUnit[] = [];
  /** The undone units that can be redone, the most recent one last. */
  #undone: ReferenceUnit[] = [];

  constructor(seed: string, runs: readonly { agent: string; unit: string; at: number; length: number }[] = []) {
    let at = 0;
    for (const run of [...runs].sort((a, b) => a.at - b.at)) {
      this.#add(this.characters.length, seed.slice(at, run.at), undefined);
      this.#add(this.characters.length, seed.slice(run.at, run.at + run.length), this.#unit(run.agent, run.unit));
      at = run.at + run.length;
    }
    this.#add(this.characters.length, seed.slice(at), undefined);
  }

  get text(): string {
    return this.visible.map(({ code }) => code).join('');
  }

  get visible(): ReferenceCharacter[] {
    return this.characters.filter(isVisible);
  }

  /**
   * Splices refer to the text before, do not overlap, and no two begin at one place. What takes the place of characters stands directly
   * before the first of them; in early logs all new text stands behind the visible character before it.
   */
  edit(
    agent: string,
    name: string,
    splices: readonly { at: number; delete: number; insert: string }[],
    isEarly = false,
  ): void {
    const unit = this.#unit(agent, name);
    const before = this.visible;
    const places = splices.map((splice) => ({
      ...splice,
      left: before[splice.at - 1],
      first: splice.delete === 0 || isEarly ? undefined : before[splice.at],
    }));
    for (const { at, delete: count } of places) {
      for (const character of before.slice(at, at + count)) character.deletedBy.add(unit);
    }
    for (const { left, first, insert } of places.sort((a, b) => a.at - b.at)) {
      this.#add(first === undefined ? this.#behind(left) : this.characters.indexOf(first), insert, unit);
    }
  }

  /** An append of a stream goes behind the stream's last character, any other one to the very end. */
  append(agent: string, name: string, text: string, isStream: boolean): void {
    const earlier = this.units.findLast(
      (unit) => unit.agent === agent && unit.name === name && unit.last !== undefined,
    );
    const place = isStream && earlier ? this.#behind(earlier.last) : this.characters.length;
    this.#add(place, text, this.#unit(agent, name));
  }

  /** Notes an edit that came from elsewhere: its characters by their values, because their places are unknown here. */
  note(agent: string, name: string, inserted: string, deleted: string): void {
    const unit = this.#unit(agent, name);
    this.#add(this.characters.length, inserted, unit);
    for (const character of this.characters) if (deleted.includes(character.code)) character.deletedBy.add(unit);
  }

  /** The agent's newest active unit is taken back. */
  undo(agent: string): ReferenceUnit | undefined {
    const unit = this.undoable(agent);
    if (unit === undefined) return undefined;
    unit.active = false;
    unit.phase = 'closed';
    this.#undone.push(unit);
    return unit;
  }

  /** The agent's unit that was undone last comes back. */
  redo(agent: string): ReferenceUnit | undefined {
    const unit = this.redoable(agent);
    if (unit === undefined) return undefined;
    unit.active = true;
    this.#undone = this.#undone.filter((other) => other !== unit);
    return unit;
  }

  undoable(agent: string): ReferenceUnit | undefined {
    return this.units.findLast((unit) => unit.agent === agent && unit.active && unit.phase !== 'frozen');
  }

  redoable(agent: string): ReferenceUnit | undefined {
    return this.#undone.findLast((unit) => unit.agent === agent);
  }

  /**
   * Removes the beginning of the text for good, hidden characters included; the units that had to do with it stay as they
   * are.
   */
  cut(offset: number): void {
    const gone = this.characters.slice(0, this.#behind(this.visible[offset - 1]));
    for (const character of gone) character.cut = true;
    const touched = new Set(gone.flatMap(({ by, deletedBy }) => [by, ...deletedBy]));
    for (const unit of this.units) if (touched.has(unit) && unit.phase !== 'dead') unit.phase = 'frozen';
    this.#undone = this.#undone.filter(({ phase }) => phase !== 'frozen');
  }

  #behind(character: ReferenceCharacter | undefined): number {
    return character === undefined ? 0 : this.characters.indexOf(character) + 1;
  }

  #add(place: number, text: string, by: ReferenceUnit | undefined): void {
    const added = text.split('').map((code) => ({ code, by, deletedBy: new Set<ReferenceUnit>(), cut: false }));
    this.characters.splice(place, 0, ...added);
    if (by !== undefined) by.last = added.at(-1) ?? by.last;
  }

  /** A unit is open until it is undone. A new one ends the redo of its agent. */
  #unit(agent: string, name: string): ReferenceUnit {
    const open = this.units.find((unit) => unit.agent === agent && unit.name === name && unit.phase === 'open');
    if (open !== undefined) return open;
    for (const unit of this.#undone) if (unit.agent === agent) unit.phase = 'dead';
    this.#undone = this.#undone.filter((unit) => unit.agent !== agent);
    const unit: ReferenceUnit = { agent, name, active: true, phase: 'open', last: undefined };
    this.units.push(unit);
    return unit;
  }
}

function isVisible({ by, deletedBy, cut }: ReferenceCharacter): boolean {
  return !cut && by?.active !== false && ![...deletedBy].some(({ active }) => active);
}

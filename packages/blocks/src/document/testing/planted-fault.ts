import type { TextSplice } from '../../text/text-splice.ts';
import { BlockDocument } from '../block-document.ts';
import type { BlockText, EditAuthor, LoggedEdit, SeedRun, TextEdit, UnitFlip, UpdateRefusal } from '../block-text.ts';
import { CopyBook } from '../copy-book.ts';
import type { IdRange } from '../id-range.ts';
import { RangeMap } from '../range-map.ts';
import type { UndoUnit } from '../undo-units.ts';

/** Runs something while the index of deletions keeps only the first unit that deletes a character. */
export function ignoringSecondDeleters<T>(run: () => T): T {
  return replacing(RangeMap.prototype, 'update', onlyFirst, run);
}

/** Runs something while a copy is taken for a new character, and not for the one that came back by it. */
export function takingCopiesForOriginals<T>(run: () => T): T {
  return replacing(CopyBook.prototype, 'originalsOf', (range: IdRange) => [range], run);
}

/** A text in which an agent can still redo units that were undone before its newest edit. */
export class NeverDeadText implements BlockText {
  readonly #inner: BlockText;
  /** Every agent has several names inside, a new one from each such edit on. */
  readonly #names = new Map<string, string[]>();

  constructor(seed: string, runs: readonly SeedRun[]) {
    for (const { agent } of runs) this.#namesOf(agent);
    this.#inner = new BlockDocument(seed, runs);
  }

  get text(): string {
    return this.#inner.text;
  }

  get length(): number {
    return this.#inner.length;
  }

  get units(): readonly UndoUnit[] {
    return this.#inner.units.map(outside);
  }

  offsetOfByte(byte: number): number | undefined {
    return this.#inner.offsetOfByte(byte);
  }

  isInsidePair(offset: number): boolean {
    return this.#inner.isInsidePair(offset);
  }

  undoable(agent: string): UndoUnit | undefined {
    const units = this.#namesOf(agent).flatMap((name) => this.#inner.undoable(name) ?? []);
    return units
      .map(outside)
      .sort((a, b) => a.ordinal - b.ordinal)
      .at(-1);
  }

  redoable(agent: string): UndoUnit | undefined {
    const units = this.#namesOf(agent).flatMap((name) => this.#inner.redoable(name) ?? []);
    return units.map(outside).at(-1);
  }

  planEdit(client: number, splices: readonly TextSplice[]): TextEdit {
    return this.#inner.planEdit(client, splices);
  }

  planAppend(author: EditAuthor, client: number, text: string, behindUnit: boolean): TextEdit {
    return this.#inner.planAppend(this.#inside(author), client, text, behindUnit);
  }

  planFlip(client: number, unit: number): UnitFlip {
    return this.#inner.planFlip(client, unit);
  }

  takeUpdate(author: EditAuthor, client: number, update: Uint8Array): { ok: true; edit: TextEdit } | UpdateRefusal {
    return this.#inner.takeUpdate(this.#inside(author), client, update);
  }

  applyTogether(work: () => void): void {
    this.#inner.applyTogether(work);
  }

  applyEdit(edit: LoggedEdit): void {
    this.#inner.applyEdit({ ...edit, ...this.#inside(edit) });
  }

  applyFlip(flip: Omit<UnitFlip, 'splices'>): void {
    this.#inner.applyFlip(flip);
  }

  cut(offset: number): void {
    this.#inner.cut(offset);
  }

  encode(): Uint8Array {
    return this.#inner.encode();
  }

  #inside({ agent, unit }: EditAuthor): EditAuthor {
    const names = this.#namesOf(agent);
    const open = this.#inner.units.find(
      (other) => names.includes(other.agent) && other.name === unit && other.phase === 'open',
    );
    if (open !== undefined) return { agent: open.agent, unit };
    if (names.some((name) => this.#inner.redoable(name) !== undefined)) names.push(`${agent}+${names.length}`);
    return { agent: names.at(-1) ?? agent, unit };
  }

  #namesOf(agent: string): string[] {
    const names = this.#names.get(agent) ?? [agent];
    this.#names.set(agent, names);
    return names;
  }
}

function outside(unit: UndoUnit): UndoUnit {
  return { ...unit, agent: unit.agent.replace(/\+.*$/, '') };
}

function onlyFirst<V>(this: RangeMap<V>, range: IdRange, change: (value: V | undefined) => V): void {
  for (const segment of this.segments(range)) {
    if (segment.value === undefined) this.set(segment, change(undefined));
  }
}

/** Puts something else in the place of a method for as long as something runs. */
function replacing<O extends object, T>(object: O, method: keyof O, replacement: unknown, run: () => T): T {
  const original: unknown = Reflect.get(object, method);
  Reflect.set(object, method, replacement);
  try {
    return run();
  } finally {
    Reflect.set(object, method, original);
  }
}

import type { Hunk } from '@loom/blocks/patch';
import { diffTexts } from '@loom/blocks/patch';
import { linesOf, withoutReturn } from './line-text.ts';
import { matchLines } from './match-lines.ts';
import type { KnownFile, KnownLine } from './match-lines.ts';

/** The content of a file on one side of a step: its text, `null` where there is no file, or `undefined` where it is not known. */
type Side = string | null | undefined;

/** A change of a file as it is known: by its contents, by a diff, or by both. */
export interface TracedStep {
  before: Side;
  after: Side;
  hunks: readonly Hunk[];
  /** True if the numbers of the hunks are those of the file's lines; else a tool was given passages without their places. */
  isPlaced: boolean;
}

/** Lines with the number of the first one in the file, counted from 0. */
interface Run {
  at: number;
  lines: KnownLine[];
}

/** Remembers what steps tell of a file: which lines it has, which of them each step wrote. Nothing is guessed about the lines between. */
export class RememberedFile {
  #runs: Run[] = [];
  #loose: KnownLine[][] = [];
  #isWhole = false;

  /** The lines of the file that are known now. */
  get known(): KnownFile {
    return { runs: [...this.#runs, ...this.#loose.map((lines) => ({ lines }))], isWhole: this.#isWhole };
  }

  /** Takes over what another path of the file is known to have held, when it is renamed. */
  takeOver(other: RememberedFile): void {
    this.#runs = other.#runs.map(({ at, lines }) => ({ at, lines: [...lines] }));
    this.#loose = other.#loose.map((lines) => [...lines]);
    this.#isWhole = other.#isWhole;
  }

  /** Notes a step. `number` is what its lines are marked with. */
  note({ before, after, hunks, isPlaced }: TracedStep, number: number): void {
    if (after === null) return this.#become([]);
    if (typeof before === 'string' && typeof after === 'string') {
      this.#settle(linesOf(before));
      this.#applyAll(diffTexts(evenEnding(before), evenEnding(after)), true, number);
      return;
    }
    if (before === null && after === undefined && hunks.length === 0) {
      this.#become([]);
      this.#loosen();
      return;
    }
    if (before === null) {
      const lines = after === undefined ? addedLines(hunks) : linesOf(after);
      return this.#become(lines.map((text) => ({ text, by: number })));
    }
    this.#applyAll(hunks, isPlaced, number);
    if (typeof after === 'string') this.#settle(linesOf(after));
  }

  #become(lines: KnownLine[]): void {
    this.#runs = [{ at: 0, lines }];
    this.#loose = [];
    this.#isWhole = true;
  }

  /** The whole file is known to be these lines; what was known before tells which of them steps wrote. */
  #settle(lines: readonly string[]): void {
    const steps = matchLines(this.known, lines);
    this.#become(lines.map((text, index) => ({ text, by: steps[index] })));
  }

  #applyAll(hunks: readonly Hunk[], isPlaced: boolean, number: number): void {
    let displacement = 0;
    for (const hunk of hunks) {
      const entries = hunk.lines
        .filter((line) => !line.startsWith('\\'))
        .map((line) => ({ mark: line.charAt(0), text: withoutReturn(line.slice(1)) }));
      const old = entries.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]));
      const write = (known: readonly (KnownLine | undefined)[]): KnownLine[] => {
        let at = 0;
        return entries.flatMap(({ mark, text }) => {
          if (mark === '+') return [{ text, by: number }];
          const by = known[at++]?.by;
          return mark === '-' ? [] : [{ text, by }];
        });
      };
      // The hunks before it are applied already, so its new number is the right one.
      const said = hunk.newStart - 1 + displacement;
      const place = isPlaced && this.#agrees(old, said) ? said : this.#find(old, isPlaced ? said : undefined);
      if (place !== undefined) {
        if (isPlaced) displacement += place - said;
        this.#replace(place, old.length, write(this.#completed(old, this.#at(place, old.length))));
      } else if (!this.#isThere(write([])) && !this.#replaceLoose(old, write)) {
        // Another program has changed lines of it meanwhile; whose the others are is still known.
        const steps = matchLines({ ...this.known, isWhole: false }, old);
        const written = write(old.map((text, index) => ({ text, by: steps[index] })));
        if (isPlaced) this.#loosen();
        if (isPlaced) this.#replace(said, old.length, written);
        else this.#loose.push(written);
      }
    }
  }

  #at(start: number, count: number): (KnownLine | undefined)[] {
    const found = Array.from({ length: count }, (): KnownLine | undefined => undefined);
    for (const { at, lines } of this.#runs) {
      const first = Math.max(at, start);
      const end = Math.min(at + lines.length, start + count);
      for (let line = first; line < end; line += 1) found[line - start] = lines[line - at];
    }
    return found;
  }

  /** Adds what is known of lines whose place is not, to lines of which nothing is known where they stand. */
  #completed(old: readonly string[], known: readonly (KnownLine | undefined)[]): (KnownLine | undefined)[] {
    if (this.#loose.length === 0 || known.every((line) => line !== undefined)) return [...known];
    const steps = matchLines({ runs: this.#loose.map((lines) => ({ lines })), isWhole: false }, old);
    return old.map((text, index) => known[index] ?? { text, by: steps[index] });
  }

  /** Returns true if nothing that is known contradicts that these lines stand there. */
  #agrees(old: readonly string[], start: number): boolean {
    if (start < 0 || (this.#isWhole && start + old.length > (this.#runs[0]?.lines.length ?? 0))) return false;
    return this.#at(start, old.length).every((line, index) => line === undefined || line.text === old[index]);
  }

  /** Finds the lines among those whose place is known; of several places the one nearest to `near`, without it only a single one. */
  #find(old: readonly string[], near: number | undefined): number | undefined {
    const places =
      old.length === 0 ? [] : this.#runs.flatMap(({ at, lines }) => placesOf(old, lines).map((index) => at + index));
    if (places.length <= 1 || near === undefined) return places.length === 1 ? places[0] : undefined;
    return places.reduce((best, one) => (Math.abs(one - near) < Math.abs(best - near) ? one : best));
  }

  /** Returns true if lines stand there already as a step leaves them: two blocks may tell of one change. */
  #isThere(lines: readonly KnownLine[]): boolean {
    const texts = lines.map(({ text }) => text);
    return texts.length > 0 && this.#runs.some((run) => placesOf(texts, run.lines).length > 0);
  }

  #replaceLoose(old: readonly string[], write: (known: readonly KnownLine[]) => KnownLine[]): boolean {
    for (const lines of old.length === 0 ? [] : this.#loose) {
      const [place] = placesOf(old, lines);
      if (place === undefined) continue;
      lines.splice(place, old.length, ...write(lines.slice(place, place + old.length)));
      return true;
    }
    return false;
  }

  /** Forgets the places of lines: the file was changed by what told of nothing. */
  #loosen(): void {
    this.#loose.push(...this.#runs.map(({ lines }) => lines));
    this.#runs = [];
    this.#isWhole = false;
  }

  #replace(start: number, count: number, lines: KnownLine[]): void {
    const shift = lines.length - count;
    const parts: Run[] = [];
    for (const { at, lines: known } of this.#runs) {
      const end = at + known.length;
      if (at < start) parts.push({ at, lines: known.slice(0, Math.min(known.length, start - at)) });
      if (end > start + count) {
        const from = Math.max(at, start + count);
        parts.push({ at: from + shift, lines: known.slice(from - at) });
      }
    }
    parts.push({ at: start, lines });
    const filled = parts.filter((run) => run.lines.length > 0).sort((one, other) => one.at - other.at);
    this.#runs = [];
    for (const run of filled) {
      const last = this.#runs.at(-1);
      if (last !== undefined && last.at + last.lines.length === run.at) last.lines = [...last.lines, ...run.lines];
      else this.#runs.push(run);
    }
    if (this.#isWhole && this.#runs.length === 0) this.#runs = [{ at: 0, lines: [] }];
  }
}

/** Returns the places at which lines follow each other in a run. */
function placesOf(wanted: readonly string[], lines: readonly KnownLine[]): number[] {
  const places: number[] = [];
  for (let start = 0; start + wanted.length <= lines.length; start += 1) {
    if (wanted.every((text, index) => lines[start + index]?.text === text)) places.push(start);
  }
  return places;
}

function addedLines(hunks: readonly Hunk[]): string[] {
  return hunks.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.startsWith('+') ? [withoutReturn(line.slice(1))] : [])),
  );
}

/** A missing last line break makes no other line, and neither do the two kinds of line breaks. */
function evenEnding(text: string): string {
  return linesOf(text)
    .map((line) => `${line}\n`)
    .join('');
}

import { diffWords } from '../words/word-diff.ts';

/** A text as an agent has left it. */
export interface AuthoredVersion {
  readonly agent: string;
  readonly text: string;
}

/** A piece of the newest text, and who wrote it. */
export interface AuthoredPiece {
  readonly agent: string;
  readonly text: string;
}

/** Consecutive characters of one author. */
interface Run {
  readonly agent: string;
  readonly length: number;
}

/** Attributes the newest of several versions: each word belongs to the agent in whose version it first stood. */
export function authoredText(versions: readonly AuthoredVersion[]): AuthoredPiece[] {
  let [before, authors]: [string, readonly Run[]] = ['', []];
  for (const { agent, text } of versions) {
    const { left, right } = diffWords(before, text);
    const old = new RunReader(authors);
    const kept: Run[] = [];
    for (const piece of left) {
      const runs = old.take(piece.text.length);
      if (piece.isSame) kept.push(...runs);
    }
    const same = new RunReader(kept);
    authors = joined(
      right.flatMap((piece) => (piece.isSame ? same.take(piece.text.length) : [{ agent, length: piece.text.length }])),
    );
    before = text;
  }
  let at = 0;
  return authors.map(({ agent, length }) => ({ agent, text: before.slice(at, (at += length)) }));
}

/** Hands out the authors of a text from its beginning on. */
class RunReader {
  readonly #runs: readonly Run[];
  #index = 0;
  #taken = 0;

  constructor(runs: readonly Run[]) {
    this.#runs = runs;
  }

  /** Returns the authors of the next characters. */
  take(length: number): Run[] {
    const found: Run[] = [];
    for (let left = length; left > 0;) {
      const run = this.#runs[this.#index];
      if (run === undefined) break;
      const count = Math.min(left, run.length - this.#taken);
      found.push({ agent: run.agent, length: count });
      left -= count;
      this.#taken += count;
      if (this.#taken < run.length) continue;
      this.#index += 1;
      this.#taken = 0;
    }
    return found;
  }
}

function joined(runs: readonly Run[]): Run[] {
  const found: Run[] = [];
  for (const run of runs) {
    const last = found.at(-1);
    if (run.length === 0) continue;
    if (last?.agent === run.agent) found[found.length - 1] = { agent: run.agent, length: last.length + run.length };
    else found.push(run);
  }
  return found;
}

/** Returns each agent's share of a text, in percent, the largest first. */
export function authorShares(pieces: readonly AuthoredPiece[]): { agent: string; percent: number }[] {
  const lengths = new Map<string, number>();
  for (const { agent, text } of pieces) lengths.set(agent, (lengths.get(agent) ?? 0) + text.length);
  const whole = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  return [...lengths]
    .map(([agent, length]) => ({ agent, percent: Math.round((100 * length) / whole) }))
    .sort((one, other) => other.percent - one.percent);
}

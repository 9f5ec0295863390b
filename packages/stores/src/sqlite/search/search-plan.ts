import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { compileQuery, nativePattern } from '@loom/kernel/search';
import type { IndexedSearch, QueryMatcher, RequiredLiterals } from '@loom/kernel/search';
import type { Catalogue } from './index/catalogue.ts';
import { numberOf } from './row-values.ts';
import type { Row } from './row-values.ts';
import type { SearchPlan } from './search-message.ts';
import { candidateOf } from './stretches.ts';
import { trigramQuery } from './index/trigrams.ts';

/** Says where to look for a query. */
export class SearchPlanner {
  readonly #catalogue: Catalogue;
  readonly #match: StatementSync;
  readonly #waiting: StatementSync;
  readonly #rows: StatementSync;

  constructor(database: DatabaseSync, catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#match = database.prepare(
      `SELECT c.log, c.id, t.rowid - c.first AS stretch FROM trigrams t
       CROSS JOIN chunks c ON c.first = (SELECT max(first) FROM chunks WHERE first <= t.rowid)
       WHERE trigrams MATCH ? ORDER BY t.rowid LIMIT ?`,
    );
    this.#rows = database.prepare('SELECT ifnull(max(first), 0) AS rows FROM chunks WHERE first IS NOT NULL');
    this.#waiting = database.prepare('SELECT id, log, size FROM chunks WHERE first IS NULL');
  }

  plan({ query, roots }: IndexedSearch): Omit<SearchPlan, 'identity'> {
    const known = this.#catalogue.refresh(roots);
    const compiled = compileQuery(query);
    // Looked for first: what is entered meanwhile, by another process, is then looked into as a whole.
    const waiting = this.#waiting.all();
    const words = compiled.ok ? trigramQuery(requiredOf(compiled.matcher)) : undefined;
    const candidates = words === undefined ? undefined : this.#candidates(words, waiting);
    const planned = roots.map((root) => {
      const found = known.get(root);
      if (found === undefined) return { root, log: undefined };
      const { log, projection, epoch, seq, size } = found;
      if (candidates === undefined) return { root, log, projection, epoch, seq, size };
      const { stretches = [], size: asked = 0 } = candidates.get(log) ?? {};
      return { root, log, projection, epoch, seq, size: asked, candidates: stretches };
    });
    const isNative = compiled.ok && nativePattern(compiled.matcher) !== undefined;
    return { roots: planned, isNative, isWaiting: waiting.length > 0 };
  }

  /** By log. `undefined` if so many have to be looked into that all may be. */
  #candidates(words: string, waiting: readonly Row[]): Map<number, Candidates> | undefined {
    const most = Math.max(fewStretches, Math.ceil(numberOf(this.#rows.get()?.['rows']) / selectivity));
    const rows = this.#match.all(words, most + 1);
    if (rows.length > most) return undefined;
    const candidates = new Map<number, Candidates>();
    const add = (log: number, stretch: number, size: number): void => {
      const found = candidates.get(log) ?? { stretches: [], size: 0 };
      found.stretches.push(stretch);
      found.size += size;
      candidates.set(log, found);
    };
    for (const { log, id, stretch } of rows) {
      add(numberOf(log), candidateOf(numberOf(id), numberOf(stretch)), usualStretch);
    }
    for (const { id, log, size } of waiting) add(numberOf(log), -numberOf(id), numberOf(size));
    return candidates;
  }
}

function requiredOf(matcher: QueryMatcher): RequiredLiterals {
  return matcher.type === 'literal' ? [[matcher.text]] : matcher.required;
}

interface Candidates {
  stretches: number[];
  size: number;
}

/** If more than one of so many stretches may have a match, going through all of them in order is as fast. */
const selectivity = 8;
const fewStretches = 64;
/** About what a stretch costs: often the chunk that it is in has to be unpacked. */
const usualStretch = 50_000;

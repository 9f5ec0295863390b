import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { compileQuery, nativePattern } from '@loom/kernel/search';
import type { IndexedSearch, QueryMatcher, RequiredLiterals } from '@loom/kernel/search';
import type { LogPositions } from './log-positions.ts';
import { numberOf, textOf } from './row-values.ts';
import type { SearchPlan } from '../../search/search-message.ts';
import { stretchSize } from '../../search/stretches.ts';
import { trigramQuery } from '../../search/trigrams.ts';

/** Says where to look for a query. */
export class SearchPlanner {
  readonly #positions: LogPositions;
  readonly #logs: StatementSync;
  readonly #match: StatementSync;

  constructor(database: DatabaseSync, positions: LogPositions) {
    this.#positions = positions;
    this.#logs = database.prepare('SELECT id, name, epoch, seq, size FROM logs');
    this.#match = database.prepare(
      `SELECT s.log, s.id FROM trigrams t CROSS JOIN stretches s ON s.id = t.rowid WHERE trigrams MATCH ?`,
    );
  }

  plan({ query, roots }: Pick<IndexedSearch, 'query' | 'roots'>): Omit<SearchPlan, 'identity'> {
    // First the ends of the logs: then the index is at least as new as they are.
    const current = this.#positions.current();
    const known = new Map(this.#logs.all().map((row) => [textOf(row['name']), row]));
    const compiled = compileQuery(query);
    const words = compiled.ok ? trigramQuery(requiredOf(compiled.matcher)) : undefined;
    const candidates = words === undefined ? undefined : this.#candidates(words);
    const planned = roots.map((root) => {
      const row = known.get(root);
      const position = current.get(root);
      const isCurrent = position !== undefined && row?.['epoch'] === position.epoch && row['seq'] === position.seq;
      if (!isCurrent) return { root, log: undefined };
      const log = numberOf(row['id']);
      const about = { root, log, ...position };
      if (candidates === undefined) return { ...about, size: numberOf(row['size']) };
      const stretches = candidates.get(log) ?? [];
      return { ...about, size: stretches.length * stretchSize, candidates: stretches };
    });
    return { roots: planned, isNative: compiled.ok && nativePattern(compiled.matcher) !== undefined };
  }

  /** Returns the stretches that match, by log. */
  #candidates(words: string): Map<number, number[]> {
    const candidates = new Map<number, number[]>();
    for (const { log, id } of this.#match.all(words)) {
      const found = candidates.get(numberOf(log));
      if (found === undefined) candidates.set(numberOf(log), [numberOf(id)]);
      else found.push(numberOf(id));
    }
    return candidates;
  }
}

function requiredOf(matcher: QueryMatcher): RequiredLiterals {
  return matcher.type === 'literal' ? [[matcher.text]] : matcher.required;
}

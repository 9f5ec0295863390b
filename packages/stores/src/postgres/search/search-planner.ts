import { compileQuery, nativePattern } from '@loom/kernel/search';
import type { IndexedSearch, QueryMatcher, RequiredLiterals } from '@loom/kernel/search';
import type { SearchPlan } from '../../search/search-message.ts';
import { stretchSize } from '../../search/stretches.ts';
import { trigramClauses } from '../../search/trigrams.ts';
import { keyOf, textOfKey } from '../bounded-key.ts';
import type { Database } from '../database.ts';
import { SmallTrigrams } from './small-trigrams.ts';

/** Says where to look for a query. */
export async function planSearch(
  database: Database,
  { query, roots }: Pick<IndexedSearch, 'query' | 'roots'>,
): Promise<Omit<SearchPlan, 'identity'>> {
  // First which conversations are entered: what is found then is at least as new.
  const entered = await readEntered(database, roots);
  const compiled = compileQuery(query);
  const clauses = compiled.ok ? trigramClauses(requiredOf(compiled.matcher), new SmallTrigrams()) : [];
  const candidates = clauses.length === 0 ? undefined : await findCandidates(database, clauses);
  const planned = roots.map((root) => {
    const row = entered.get(root);
    if (row === undefined) return { root, log: undefined };
    const about = { root, log: row.number, epoch: row.epoch, seq: row.seq };
    if (candidates === undefined) return { ...about, size: row.size };
    const stretches = candidates.get(keyOf(root).toString('latin1')) ?? [];
    return { ...about, size: stretches.length * stretchSize, candidates: stretches };
  });
  return { roots: planned, isNative: compiled.ok && nativePattern(compiled.matcher) !== undefined };
}

type EnteredRow = { log: Buffer; name: Buffer | null; number: number; epoch: string; seq: number; size: number };

/** The conversations whose logs are entered up to their ends. */
async function readEntered(database: Database, roots: readonly string[]): Promise<Map<string, EnteredRow>> {
  const isNamed = roots.length <= mostNamed;
  const rows = await database.rows<EnteredRow>(
    `SELECT l.log, l.name, s.number::double precision AS number, s.epoch, s.seq::double precision AS seq,
       s.size::double precision AS size
     FROM loom.logs l JOIN loom.search_logs s ON s.log = l.log AND s.epoch = l.epoch AND s.seq = l.last_seq
     ${isNamed ? 'WHERE l.log = ANY ($1)' : ''}`,
    isNamed ? [roots.map(keyOf)] : [],
  );
  return new Map(rows.map((row) => [textOfKey(row.log, row.name), row]));
}

/** Returns the stretches that may have a match, by log, in their order. */
async function findCandidates(
  database: Database,
  clauses: readonly (readonly (readonly number[])[])[],
): Promise<Map<string, number[]>> {
  const alternatives = clauses.flatMap((clause, number) => clause.map((words) => ({ number, words })));
  const rows = await database.rows<{ log: Buffer; id: number }>(
    'SELECT log, id::double precision AS id FROM loom.stretches_with($1, $2)',
    [alternatives.map(({ number }) => number), alternatives.map(({ words }) => `{${words.join(',')}}`)],
  );
  const found = new Map<string, number[]>();
  for (const { log, id } of rows) {
    const key = log.toString('latin1');
    const list = found.get(key);
    if (list === undefined) found.set(key, [id]);
    else list.push(id);
  }
  return found;
}

function requiredOf(matcher: QueryMatcher): RequiredLiterals {
  return matcher.type === 'literal' ? [[matcher.text]] : matcher.required;
}

/** Naming more costs more than reading all. */
export const mostNamed = 1_000;

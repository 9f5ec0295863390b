import type { z } from 'zod';
import type { Forest } from '../forest/forest.ts';
import { refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import { numberMatches } from '../search/numbered-matches.ts';
import type { CompiledQuery, Query } from '../search/query.ts';
import { searchRoot } from '../search/root-search.ts';
import type { RootSearch, SearchedRoot } from '../search/root-search.ts';
import { searchableBlocks } from '../search/searchable-blocks.ts';
import { SearchPage } from '../search/search-page.ts';
import { readPlace, writePlace } from '../search/search-place.ts';
import type { IndexedRoot, TextIndex } from '../search/text-index.ts';
import { searchAllowance } from '../search/text-search.ts';
import type { RootDirectory } from './root-directory.ts';
import type { kernelSearchParams, kernelSearchResult, searchParams } from './schemas.ts';

export interface SearchedForest {
  forest: Forest;
  roots: RootDirectory;
  index: TextIndex | undefined;
}

/**
 * Searches conversations one after the other, the newest first, and lets others work in between. Conversations that the
 * index knows are searched there, the others here. Ends when the page is full or the work is used up, and says where to go
 * on.
 */
export async function searchForest(
  { forest, roots: directory, index }: SearchedForest,
  params: z.infer<ReturnType<typeof kernelSearchParams>>,
  signal?: AbortSignal,
): Promise<z.infer<ReturnType<typeof kernelSearchResult>> | Refused> {
  const compiled = await compileParams(params);
  if (!compiled.ok) return compiled;
  const from = params.from === undefined ? undefined : readPlace(params.from);
  if (params.from !== undefined && from === undefined)
    return refuseValue(['from'], 'must be what an answer gave as next');
  const seen = await directory.all();
  // The index knows of conversations that the caller must not see.
  const all = params.roots === undefined ? seen.reverse() : [...new Set(params.roots).intersection(new Set(seen))];
  const start = from === undefined ? 0 : all.indexOf(from.root);
  // A deleted conversation has no place in the order, so the search begins again.
  const roots = all.slice(Math.max(start, 0));
  const after = start === -1 ? undefined : from?.after;
  const page = new SearchPage(params, from);
  const { meter } = searchAllowance();
  const answers = index?.search({ query: queryOf(params), roots, options: params, after }) ?? roots.map(unknownRoot);
  for await (const answer of answers) {
    const { root } = answer;
    const begin = root === roots[0] ? after : undefined;
    if (signal?.aborted === true) page.endAt({ root, after: begin });
    else if (answer.type === 'searched') page.take(answer, begin);
    else {
      const search = { root, matcher: compiled.matcher, options: params, after: begin };
      const found = await searchState(forest, { ...search, allowance: { ...searchAllowance(), meter } });
      if (found === undefined) page.noteUnreadable();
      else page.take(found, begin);
    }
    if (page.isOver) break;
  }
  const { blocks, next, ...rest } = page.result();
  const isNumbered = params.line_numbers !== false;
  return {
    blocks: isNumbered ? blocks.map((block) => ({ ...block, matches: numberMatches(block.matches, params) })) : blocks,
    ...rest,
    searched: { conversations: next === undefined ? all.length : all.indexOf(next.root), of: all.length },
    ...(next === undefined ? {} : { next: writePlace(next) }),
  };
}

/** `undefined` if the log cannot be read. */
async function searchState(forest: Forest, search: RootSearch): Promise<SearchedRoot | undefined> {
  const state = await forest.stateUnlessDamaged(search.root);
  return state === undefined ? undefined : searchRoot(searchableBlocks(state), search);
}

/** Compiles the query of some parameters. Loads the engine at the first search. */
export async function compileParams(params: Params): Promise<CompiledQuery> {
  const { compileQuery } = await import('../search/query.ts');
  return compileQuery(queryOf(params));
}

type Params = z.infer<ReturnType<typeof searchParams> | ReturnType<typeof kernelSearchParams>>;

function queryOf({ query, literal, ignore_case: ignoreCase }: Params): Query {
  return { query, literal, ignoreCase };
}

function unknownRoot(root: string): IndexedRoot {
  return { type: 'unknown', root };
}

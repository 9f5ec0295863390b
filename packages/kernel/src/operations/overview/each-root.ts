import type { LoomEngine } from '../calling/engine.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import type { RootsRequest } from '../../forest/root-pages.ts';
import type { Caller } from '../operation.ts';

const pageSize = 500;

/** Goes through the conversations that a caller may see, as lists show them, the one that was changed last first. */
export async function* eachRoot(
  { forest }: Pick<LoomEngine, 'forest'>,
  { roots }: Pick<Caller, 'roots'>,
  { deleted = false }: Pick<RootsRequest, 'deleted'> = {},
): AsyncGenerator<RootSummary> {
  for (let begin = {}; ;) {
    const { items, next } = await forest.pageRoots({ limit: pageSize, deleted, among: roots, ...begin });
    yield* items;
    if (next === undefined) return;
    begin = { after: next };
  }
}

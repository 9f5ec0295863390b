import { BlockTools } from '@loom/kernel';
import type { TextIndex } from '@loom/kernel/search';
import type { Loom } from '../runtime/open-loom.ts';

/** The block tools on the forest of a command; with an index they need not open every conversation to search. */
export function textTools({ engine, request }: Loom, index?: TextIndex): BlockTools {
  const options = { forest: engine.forest, ids: { next: () => request().id } };
  return new BlockTools(index === undefined ? options : { ...options, index });
}

import type { Loom } from '../app/loom.ts';
import { addressOf } from '../app/route.ts';
import type { Place } from '../app/route.ts';
import { writeQuery } from './query.ts';
import type { Query } from './query.ts';
import type { Option } from './sections.ts';

type Chosen = Exclude<Option, { kind: 'more' | 'recent' | 'search-on' }>;

/** Does the chosen action of the palette, and closes it. */
export function choose(loom: Loom, option: Chosen, query: Query, isBeside: boolean): void {
  const { palette } = loom;
  if (option.kind === 'action') {
    palette.close();
    // The focus is first given back to where it was: some actions go by it.
    setTimeout(option.action.run);
    return;
  }
  if (option.kind === 'hit') palette.remember(writeQuery(query));
  palette.close();
  if (isBeside) window.open(addressOf(placeOf(option)), '_blank', 'noopener');
  else loom.go(placeOf(option), option.kind === 'hit' ? { match: option.hit.excerpt.match } : {});
}

function placeOf(option: Exclude<Chosen, { kind: 'action' }>): Place {
  if (option.kind === 'conversation') return { name: 'conversation', root: option.item.id };
  const { root, block, place } = option.hit;
  return { name: 'conversation', root, ...(place === undefined ? {} : { node: place.node }), block };
}

import { useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { pending } from '../block-searches.ts';
import type { SearchState } from '../block-searches.ts';
import { conversationsOf } from '../hit-groups.ts';
import { PaletteNote, PaletteStop } from '../PaletteNote.tsx';
import { takeFilters, withFilter, writeQuery } from '../query.ts';
import type { Query } from '../query.ts';
import { useSearches } from '../use-searches.ts';
import { useHomeChanges } from '../../stores/use-home-changes.ts';
import { useStore } from '../../stores/use-store.ts';
import { Page } from '../../ui/Page.tsx';
import { count } from '../../words/amounts.ts';
import { Facets } from './Facets.tsx';
import { ResultGroup } from './ResultGroup.tsx';
import { SavedSearches, searchKeys } from './saved-searches.ts';
import { SearchField } from './SearchField.tsx';

/** The results of a search over all conversations, grouped by conversation; the address has the query with its filters. */
export function SearchPage(): ReactElement {
  const loom = useLoom();
  const { place, list, palette } = loom;
  const here = useStore(place);
  const address = here.name === 'search' ? here.query : '';
  const [query, setQuery] = useState<Query>(() => takeFilters(address, { isTyping: false }));
  const written = writeQuery(query);
  const searches = useSearches();
  const [saved] = useState(() => new SavedSearches({ ask: (name, params) => loom.ask(name, params) }));
  const results = useRef<HTMLDivElement>(null);
  useEffect(() => loom.attempt(() => saved.load()), [loom, saved]);
  // A failure was told when the page was opened, or is told by the list.
  useHomeChanges(searchKeys, () => void saved.load().catch(() => {}));
  // The address became another one: back, forward, or a saved search.
  useEffect(() => {
    setQuery((now) => (writeQuery(now) === address ? now : takeFilters(address, { isTyping: false })));
  }, [address]);
  // The address follows what the reader does, never the other way in the same step: both at once would not come to rest.
  const change = (now: Query): void => {
    setQuery(now);
    loom.go({ name: 'search', query: writeQuery(now) }, { replace: true });
  };
  const asked = useMemo(() => takeFilters(written, { isTyping: false }), [written]);
  useEffect(() => searches.look(asked), [searches, asked]);
  const known = useStore(searches.state);
  const search = known.query === asked ? known : pending;
  const { items } = useStore(list);
  const groups = conversationsOf(search.hits, items);
  const write = (text: string): void => {
    const taken = takeFilters(text, { isTyping: true });
    change({ filters: taken.filters.reduce(withFilter, [...query.filters]), text: taken.text });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    const rows = [...(results.current?.querySelectorAll<HTMLElement>('.search-hit') ?? [])];
    const at = rows.findIndex((row) => row === document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    event.preventDefault();
  };
  return (
    <Page title="Search" isWide>
      <div className="search-page" onKeyDown={onKeyDown}>
        <Facets query={query} saved={saved} onChange={change} />
        <div className="search-main">
          <SearchField query={query} onWrite={write} onChange={change} />
          <p className="search-sum figures" role="status">
            {sumWords(search)}
          </p>
          <PaletteStop search={search} onSearchOn={() => searches.goOn()} />
          <div ref={results} aria-busy={search.status === 'searching'}>
            {groups.map((group) => (
              <ResultGroup
                key={group.root}
                group={group}
                found={search.counts.get(group.root) ?? group.hits.length}
                onMore={() => loom.attempt(() => searches.more(group.root))}
                onChoose={() => palette.remember(written)}
              />
            ))}
          </div>
          <PaletteNote query={query} search={search} onWithout={() => change({ filters: [], text: query.text })} />
        </div>
      </div>
    </Page>
  );
}

/** `126 blocks so far, in 14 conversations` */
function sumWords({ status, hits, counts, isComplete }: SearchState): string {
  if (status === 'searching' && hits.length === 0) return 'Searching…';
  if (hits.length === 0) return '';
  const all = [...counts.values()].reduce((sum, own) => sum + own, 0);
  return `${count(all, 'block')}${isComplete ? '' : ' so far'}, in ${count(counts.size, 'conversation')}`;
}

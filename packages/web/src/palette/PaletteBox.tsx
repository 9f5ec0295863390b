import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, RefObject } from 'react';
import { actionsNow } from '../actions/actions.ts';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { pending } from './block-searches.ts';
import { choose } from './choose.ts';
import { PaletteField } from './PaletteField.tsx';
import { PaletteList } from './PaletteList.tsx';
import { PaletteNote, PaletteStop } from './PaletteNote.tsx';
import { takeFilters, withFilter, writeQuery } from './query.ts';
import type { Query } from './query.ts';
import { sectionsOf, stepFrom } from './sections.ts';
import type { Option } from './sections.ts';
import { completed, suggestionsFor } from './suggestions.ts';
import { useSearches } from './use-searches.ts';

interface BoxProps {
  start: string;
  field: RefObject<HTMLInputElement | null>;
}

/** The palette's field, its offers, and its keys. */
export function PaletteBox({ start, field }: BoxProps): ReactElement {
  const loom = useLoom();
  const { list, palette, conversation } = loom;
  const listId = useId();
  const [query, setQuery] = useState<Query>(() => takeFilters(start, { isTyping: true }));
  const [selected, setSelected] = useState<string>();
  const [isWhole, setWhole] = useState(false);
  const results = useRef<HTMLDivElement>(null);
  const [actions] = useState(() => actionsNow(loom));
  const { items } = useStore(list);
  const recent = useStore(palette.recent);
  const hasConversation = useStore(conversation) !== undefined;
  const searches = useSearches();
  const asked = useMemo(() => askedBy(query), [query]);
  useEffect(() => searches.look(asked), [searches, asked]);
  const known = useStore(searches.state);
  // Results of an earlier query are never shown, or chosen with Enter, under the words of the next one.
  const search = known.query === asked ? known : pending;
  const offered = useMemo(() => {
    const agents = [...new Set(items.flatMap(({ source }) => (source === undefined ? [] : [source.provider])))];
    return { hasConversation, agents: agents.slice(0, 6) };
  }, [items, hasConversation]);
  useKeptHeight(results, search.status === 'searching');
  const sections = sectionsOf({ query, search, actions, conversations: items, recent, isWhole });
  const options = sections.flatMap((section) => section.options);
  const current = options.find(({ key }) => key === selected) ?? options[0];

  const write = (text: string): void => {
    const taken = takeFilters(text, { isTyping: true });
    setQuery({ filters: taken.filters.reduce(withFilter, [...query.filters]), text: taken.text });
    setSelected(undefined);
    setWhole(false);
  };
  const run = (option: Option, isBeside: boolean): void => {
    if (option.kind === 'more') {
      setWhole(true);
      setSelected(stepFrom(sections, option.key, -1));
    } else if (option.kind === 'search-on') {
      setWhole(true);
      setSelected(stepFrom(sections, option.key, -1));
      searches.goOn();
    } else if (option.kind === 'recent') {
      write(`${option.text} `);
    } else {
      choose(loom, option, query, isBeside);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const text = event.key === 'Tab' && !event.shiftKey ? completed(query.text, offered) : undefined;
    if (text !== undefined) write(text);
    else if (event.key === 'ArrowDown') setSelected(stepFrom(sections, current?.key, 1));
    else if (event.key === 'ArrowUp') setSelected(stepFrom(sections, current?.key, -1));
    else if (event.key === 'Enter' && current !== undefined) run(current, event.ctrlKey || event.metaKey);
    else if (event.key === 'Backspace' && isAtStart(field.current) && query.filters.length > 0) {
      setQuery({ filters: query.filters.slice(0, -1), text: query.text });
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <PaletteField
        field={field}
        query={query}
        search={search}
        listId={listId}
        currentKey={current?.key}
        onWrite={write}
        onKeyDown={onKeyDown}
        onDrop={(filter) => setQuery({ ...query, filters: query.filters.filter((other) => other !== filter) })}
      />
      <div className="palette-filters" role="group" aria-label="Add a filter">
        <span aria-hidden="true">Add a filter</span>
        {suggestionsFor(query.text, offered).map(({ label, text }) => (
          <button
            type="button"
            className="chip chip-outline"
            key={label}
            onClick={() => {
              write(text);
              field.current?.focus();
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div ref={results} className="palette-results scroll" aria-busy={search.status === 'searching'}>
        <PaletteStop search={search} onSearchOn={() => searches.goOn()} />
        {asked.text.trim() !== '' && (
          <button
            type="button"
            className="text-button palette-all"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              palette.close();
              loom.go({ name: 'search', query: writeQuery(asked) });
            }}
          >
            Show all on a page
          </button>
        )}
        <PaletteList id={listId} sections={sections} currentKey={current?.key} onChoose={run} />
        <PaletteNote query={query} search={search} onWithout={() => setQuery({ filters: [], text: query.text })} />
      </div>
      <div className="palette-foot" aria-hidden="true">
        <span>
          <kbd>Enter</kbd> {current?.kind === 'action' ? 'do it' : 'go there'}
        </span>
        <span>
          <kbd>Ctrl Enter</kbd> in a new tab
        </span>
        <span className="grow" />
        <span>
          <kbd>&gt;</kbd> commands only
        </span>
      </div>
    </>
  );
}

/** Returns the search for the typed text. The last word may be a filter that no space follows. */
function askedBy(query: Query): Query {
  const { filters, text } = takeFilters(query.text, { isTyping: false });
  return { filters: filters.reduce(withFilter, [...query.filters]), text: text.startsWith('>') ? '' : text };
}

/** Keeps the height of the last results until the next ones are there, so that the palette does not collapse at every letter. */
function useKeptHeight(results: RefObject<HTMLElement | null>, isSearching: boolean): void {
  const height = useRef(0);
  useLayoutEffect(() => {
    const element = results.current;
    if (element === null) return;
    if (!isSearching) {
      element.style.minHeight = '';
      height.current = element.offsetHeight;
    } else element.style.minHeight = `${height.current}px`;
  });
}

function isAtStart(field: HTMLInputElement | null): boolean {
  return field?.selectionStart === 0 && field.selectionEnd === 0;
}

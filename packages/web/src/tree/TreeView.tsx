import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { TreeFilter } from './TreeFilter.tsx';
import { TreeList } from './TreeList.tsx';
import { TreeMatches } from './TreeMatches.tsx';
import { useOutline } from './use-outline.ts';

/** The tree of the conversation beside it, one line for each message. */
export function TreeView(): ReactElement {
  const [filter, setFilter] = useState('');
  const outline = useOutline(filter);
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  return (
    <div className="tree-view" data-keys="tree">
      <TreeFilter
        field={field}
        list={scroller}
        icon="filter"
        placeholder="Filter"
        value={filter}
        onChange={setFilter}
      />
      <TreeMatches matches={outline.matches} filter={filter} />
      <TreeList outline={outline} scroller={scroller} field={field} />
    </div>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { ConnectionBanner } from '../app/ConnectionBanner.tsx';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { TopBar } from '../app/TopBar.tsx';
import { leaves } from '../conversation/branches.ts';
import { useStore } from '../stores/use-store.ts';
import { Segments } from '../ui/Segments.tsx';
import { useLate } from '../ui/use-late.ts';
import { count } from '../words/amounts.ts';
import { TreeFilter } from './TreeFilter.tsx';
import { TreeFoot } from './TreeFoot.tsx';
import { TreeList } from './TreeList.tsx';
import { TreeMatches } from './TreeMatches.tsx';
import { treeShownNames } from './tree-shown.ts';
import type { TreeShown } from './tree-shown.ts';
import { useOutline } from './use-outline.ts';

/** All branches of a conversation, on a separate page. */
export function TreePage(): ReactElement {
  const { go } = useLoom();
  const { root, shape: store, watch } = useConversation();
  const shape = useStore(store);
  const { status } = useStore(watch.whole);
  const [filter, setFilter] = useState('');
  const [shown, setShown] = useState<TreeShown>('everything');
  const outline = useOutline(filter, shown);
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isEmpty = shape.nodes.size === 0;
  const isLate = useLate(isEmpty && status === 'joining');
  // Keys walk the tree from the beginning on.
  useEffect(() => scroller.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.target === field.current || event.defaultPrevented) return;
    event.preventDefault();
    go({ name: 'conversation', root });
  };
  return (
    <main id="main" tabIndex={-1} className="main tree-page" data-keys="tree" onKeyDown={onKeyDown}>
      <TopBar isTree />
      <ConnectionBanner status={status} />
      <div className="tree-bar">
        <TreeFilter
          field={field}
          list={scroller}
          icon="search"
          placeholder="Find in this tree"
          value={filter}
          onChange={setFilter}
        />
        <Segments label="Which messages" choices={treeShownNames} chosen={shown} onChoose={setShown} />
        <span className="grow" />
        <span className="tree-counts">
          {count(shape.nodes.size, 'message')} · {count(leaves(shape).length, 'branch', 'branches')}
        </span>
      </div>
      <div className="tree-heads" aria-hidden="true">
        <span className="grow">Message</span>
        <span className="tree-who">Written by</span>
        <span className="tree-time">Time</span>
      </div>
      <TreeMatches matches={outline.matches} filter={filter} />
      {isLate && <p className="tree-note">Loading…</p>}
      {status === 'refused' && (
        <p className="tree-note">This conversation does not exist, or you do not have access to it.</p>
      )}
      {isEmpty && status === 'live' && <p className="tree-note">There are no messages yet.</p>}
      {!isEmpty && outline.rows.length === 0 && filter === '' && (
        <p className="tree-note">No message has a bookmark, a title or tags.</p>
      )}
      <TreeList outline={outline} scroller={scroller} field={field} isWide />
      <TreeFoot folded={outline.folded} />
    </main>
  );
}

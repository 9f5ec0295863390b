import { useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { useMinute } from '../ui/use-minute.ts';
import { useLate } from '../ui/use-late.ts';
import { ConversationRow } from './ConversationRow.tsx';
import { navigatorRows } from './navigator-rows.ts';

/** The distance from its end at which the list asks for more, in pixels. */
const near = 600;

/** The conversations by time. Only those near the screen are in the document; more are asked for while scrolling. */
export function ConversationList(): ReactElement {
  const { list, attempt } = useLoom();
  const { items, next, status } = useStore(list);
  const now = useMinute();
  const rows = useMemo(() => navigatorRows(items, now), [items, now]);
  const scroller = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const isLoading = useLate(status === 'joining' && items.length === 0);
  const onScroll = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = handle.current ?? {};
    if (next !== undefined && offset + viewportSize > scrollSize - near) attempt(() => list.more());
  };
  return (
    <div className="navigator-list scroll" ref={scroller} data-keys="list">
      <Virtualizer ref={handle} scrollRef={scroller} bufferSize={400} onScroll={onScroll} data={rows}>
        {(row) =>
          row.kind === 'period' ? (
            <h2 key={row.key} className="navigator-period">
              {row.name}
            </h2>
          ) : (
            <ConversationRow key={row.key} item={row.item} now={now} />
          )
        }
      </Virtualizer>
      {isLoading && <ListShapes />}
      {status === 'live' && next === undefined && <ListEnd isEmpty={items.length === 0} />}
    </div>
  );
}

function ListEnd({ isEmpty }: { isEmpty: boolean }): ReactElement {
  const { hasDeleted } = useLoom();
  return (
    <div className="navigator-end">
      {isEmpty && <p>Conversations will be listed here.</p>}
      <button type="button" className="text-button" onClick={() => hasDeleted.set(true)}>
        Deleted conversations…
      </button>
    </div>
  );
}

/** Shapes of the same heights as the rows that will come. */
function ListShapes(): ReactElement {
  return (
    <div role="status" aria-label="Loading the conversations">
      {['one', 'two', 'three', 'four'].map((key) => (
        <div className="conversation-shape" key={key}>
          <div className="shape" />
          <div className="shape shape-short" />
        </div>
      ))}
    </div>
  );
}

import { memo, useRef } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../../app/loom-context.ts';
import { later } from '../../ui/later.tsx';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { useStore } from '../../stores/use-store.ts';
import { shortTime } from '../../words/times.ts';
import { ConversationMenu } from './ConversationMenu.tsx';
import { isFirstLine } from '../navigator-rows.ts';
import { StateMark } from './StateMark.tsx';
import { useHoverCard } from './use-hover-card.ts';

const HoverCard = later(async () => (await import('./HoverCard.tsx')).HoverCard);
const RecentBranches = later(async () => (await import('./RecentBranches.tsx')).RecentBranches);

interface RowProps {
  item: ListedRoot;
  /** The name, as it is told apart from the others in the list. */
  name: string;
  now: number;
}

/** One conversation of the list; below the one that is open, the ends of its branches where something happened last. */
export const ConversationRow = memo(function ConversationRow({ item, name, now }: RowProps): ReactElement {
  const { place, looked } = useLoom();
  const here = useStore(place);
  useStore(looked.since);
  const { id, branches, updated } = item;
  const isOpen = 'root' in here && here.root === id;
  const isNew = !isOpen && !looked.has(id, Date.parse(updated));
  const frame = useRef<HTMLDivElement>(null);
  const card = useHoverCard();
  return (
    <div className="conversation-row">
      <div className="conversation-frame" ref={frame} data-row={id} {...card.listeners}>
        <PlaceLink place={{ name: 'conversation', root: id }} className="conversation" isCurrent={isOpen}>
          <span className="conversation-state">
            <StateMark item={item} isNew={isNew} />
          </span>
          <span className={isFirstLine(item) ? 'cut grow quoted' : 'cut grow'}>{name}</span>
          <time dateTime={updated}>{shortTime(Date.parse(updated), now)}</time>
        </PlaceLink>
        <ConversationMenu item={item} />
        {card.isShown && frame.current !== null && <HoverCard item={item} anchor={frame.current} now={now} />}
      </div>
      {isOpen && branches > 1 && <RecentBranches item={item} now={now} />}
    </div>
  );
});

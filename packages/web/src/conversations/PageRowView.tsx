import { memo } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { originOf } from '../conversation/origin.ts';
import { isFirstLine } from '../navigator/navigator-rows.ts';
import { GroupMark } from '../navigator/row/StateMark.tsx';
import { stateOf, stateWords } from '../navigator/row/state-words.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { dollars, grouped } from '../words/amounts.ts';
import { shortTime } from '../words/times.ts';

interface PageRowProps {
  item: ListedRoot;
  name: string;
  now: number;
  isSelected: boolean;
  /** True for the row that Tab leads to. */
  isCurrent: boolean;
  onSelect: (id: string, isRange: boolean) => void;
}

/** One conversation of the page. The row is one tab stop: Space selects it. */
export const PageRowView = memo(function PageRowView(props: PageRowProps): ReactElement {
  const { item, name, now, isSelected, isCurrent, onSelect } = props;
  const { id, source, branches, updated, config, usage, archived } = item;
  const state = stateOf(item);
  const cost = item.cost_usd ?? usage.cost_usd;
  const select = (event: MouseEvent): void => onSelect(id, event.shiftKey);
  return (
    <div
      className={isSelected ? 'list-row list-row-selected' : 'list-row'}
      data-row={id}
      onClick={(event) => {
        if (!event.shiftKey) return;
        event.preventDefault();
        onSelect(id, true);
      }}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${name}`}
        checked={isSelected}
        onClick={(event) => {
          event.stopPropagation();
          select(event);
        }}
        readOnly
      />
      <PlaceLink
        place={{ name: 'conversation', root: id }}
        className={isFirstLine(item) ? 'list-title quoted cut' : 'list-title cut'}
        tabIndex={isCurrent ? 0 : -1}
      >
        {name}
      </PlaceLink>
      <span className="list-agent cut">{originOf(config)?.program ?? 'Loom'}</span>
      <span className="list-model cut">{source?.model}</span>
      <span className={`list-state list-state-${state}`}>
        <GroupMark state={state} words="" />
        {archived === true ? 'archived' : stateWords(item).short}
      </span>
      <span className="list-figure list-branches figures">{branches > 1 ? grouped(branches) : ''}</span>
      <span className="list-figure list-cost figures">{cost === undefined ? '' : dollars(cost)}</span>
      <time className="list-figure list-time figures" dateTime={updated}>
        {shortTime(Date.parse(updated), now)}
      </time>
    </div>
  );
});

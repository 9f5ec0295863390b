import { useLayoutEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { originOf, branchNoted } from '../../conversation/origin.ts';
import { oneLine } from '../../conversation/block-words.ts';
import { folderWords } from '../../work/paths.ts';
import { count, dollars } from '../../words/amounts.ts';
import { messageTime } from '../../words/times.ts';
import { stateWords } from './state-words.ts';
import { nameOf } from '../navigator-rows.ts';

/** The facts about a conversation beside its row: it takes no focus, and is gone when the pointer or the focus leaves the row. */
export function HoverCard({ item, anchor, now }: { item: ListedRoot; anchor: HTMLElement; now: number }): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return undefined;
    shown.showPopover();
    const row = anchor.getBoundingClientRect();
    const { width, height } = shown.getBoundingClientRect();
    const room = document.documentElement;
    const isBeside = row.right + 8 + width <= room.clientWidth;
    shown.style.left = `${isBeside ? row.right + 8 : Math.max(8, room.clientWidth - width - 8)}px`;
    const top = isBeside ? row.top : row.bottom + 4;
    shown.style.top = `${Math.max(8, Math.min(top, room.clientHeight - height - 8))}px`;
    return () => shown.hidePopover();
  }, [anchor]);
  const { title, opening, config, source, created, nodes, branches, usage, tags } = item;
  const origin = originOf(config);
  const { directory } = config;
  const folder = typeof directory === 'string' && directory !== '' ? folderWords(directory, undefined) : undefined;
  const branch = branchNoted(config);
  const cost = item.cost_usd ?? usage.cost_usd;
  return (
    <div ref={box} popover="manual" role="tooltip" className="hover-card">
      <h3>{nameOf(item)}</h3>
      {title !== undefined && opening !== '' && <p className="hover-card-line">“{oneLine(opening)}”</p>}
      <dl>
        <dt>State</dt>
        <dd>{stateWords(item).long}</dd>
        {folder !== undefined && (
          <>
            <dt>Works in</dt>
            <dd title={typeof directory === 'string' ? directory : undefined}>
              {[folder, branch].filter(Boolean).join(' · ')}
            </dd>
          </>
        )}
        <dt>{origin === undefined ? 'Model' : 'Agent'}</dt>
        <dd>{[origin?.program, source?.model].filter(Boolean).join(' · ') || 'None yet'}</dd>
        <dt>Started</dt>
        <dd>{messageTime(Date.parse(created), now)}</dd>
        <dt>Size</dt>
        <dd>
          {[count(nodes, 'message'), ...(branches > 1 ? [count(branches, 'branch', 'branches')] : [])].join(' · ')}
        </dd>
        {cost !== undefined && (
          <>
            <dt>Cost</dt>
            <dd>{dollars(cost)}</dd>
          </>
        )}
        {tags.length > 0 && (
          <>
            <dt>Tags</dt>
            <dd>{tags.join(', ')}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

import { memo } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useStore } from '../stores/use-store.ts';
import { count } from '../words/amounts.ts';
import { shortTime } from '../words/times.ts';
import { ConversationMenu } from './ConversationMenu.tsx';
import { originOf } from '../conversation/origin.ts';
import { nameOf } from './navigator-rows.ts';
import { RecentBranches } from './RecentBranches.tsx';

interface RowProps {
  item: ListedRoot;
  now: number;
}

/** One conversation of the list; below the one that is open, the ends of its branches where something happened last. */
export const ConversationRow = memo(function ConversationRow({ item, now }: RowProps): ReactElement {
  const here = useStore(useLoom().place);
  const { id, source, branches, tags, updated } = item;
  const origin = originOf(item.config);
  const isOpen = 'root' in here && here.root === id;
  return (
    <div className="conversation-row">
      <div className="conversation-frame">
        <PlaceLink place={{ name: 'conversation', root: id }} className="conversation" isCurrent={isOpen}>
          <span className="conversation-line">
            <span className="cut conversation-title">{nameOf(item)}</span>
            <StateMark item={item} />
            <time dateTime={updated}>{shortTime(Date.parse(updated), now)}</time>
          </span>
          <span className="conversation-line conversation-about">
            <span className="cut">
              {origin !== undefined && <ImportedMark program={origin.program} />}
              {[
                origin?.program ?? source?.model ?? 'Loom',
                ...(branches > 1 ? [count(branches, 'branch', 'branches')] : []),
              ].join(' · ')}
              {tags.map((tag) => (
                <span className="tag" key={tag}>
                  {tag}
                </span>
              ))}
            </span>
          </span>
        </PlaceLink>
        <ConversationMenu item={item} />
      </div>
      {isOpen && branches > 1 && <RecentBranches item={item} now={now} />}
    </div>
  );
});

function StateMark({ item: { needs, running, failed, damaged } }: { item: ListedRoot }): ReactElement | null {
  if (needs.length > 0) return <Mark className="mark mark-waiting" words="Waits for you" />;
  if (running.length > 0) return <Mark className="mark mark-model mark-running" words="Running" />;
  if (damaged !== undefined) return <Mark className="mark mark-failed" words="Cannot be read" />;
  if (failed === true) return <Mark className="mark mark-failed" words="Ended with an error" />;
  return null;
}

/** The shape of importers, with its meaning for screen readers. */
function ImportedMark({ program }: { program: string }): ReactElement {
  return (
    <span className="mark mark-file imported-mark" title={`Imported from ${program}`}>
      <span className="unseen">Imported from </span>
    </span>
  );
}

function Mark({ className, words }: { className: string; words: string }): ReactElement {
  return <span className={className} role="img" aria-label={words} title={words} />;
}

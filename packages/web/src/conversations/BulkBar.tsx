import { useState } from 'react';
import type { ReactElement } from 'react';
import { useConversationsHost } from './conversations-host.ts';
import type { Acted } from '../navigator/away.ts';
import { MoveDialog } from '../navigator/MoveDialog.tsx';
import { Question } from '../ui/floating/Question.tsx';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { count, grouped } from '../words/amounts.ts';
import { AddTagsDialog } from './AddTagsDialog.tsx';
import { AddTitles } from './AddTitles.tsx';
import { ExportManyDialog } from './ExportManyDialog.tsx';

interface BulkBarProps {
  items: readonly Acted[];
  ids: ReadonlySet<string>;
  /** The number of selected conversations that bookmarks protect, as far as they are shown. */
  bookmarked: number;
  /** The number of conversations that the filters let through. */
  matching: number;
  onAll: () => void;
  onClear: () => void;
}

/** The actions on the selected conversations. */
export function BulkBar({ items, ids, bookmarked, matching, onAll, onClear }: BulkBarProps): ReactElement {
  const { attempt, away, pins } = useConversationsHost();
  const [asks, setAsks] = useState<'project' | 'tags' | 'export' | 'delete'>();
  const close = (): void => setAsks(undefined);
  const act = (work: () => Promise<void>) => (): void => {
    attempt(work);
    onClear();
  };
  return (
    <div className="bulk-bar" role="toolbar" aria-label={`${items.length} selected`}>
      <strong className="figures">{grouped(items.length)} selected</strong>
      {items.length < matching && (
        <button type="button" className="text-button hide-narrow" onClick={onAll}>
          Select all {grouped(matching)}
        </button>
      )}
      <span className="bulk-line hide-narrow" />
      <button
        type="button"
        className="button button-quiet hide-narrow"
        onClick={act(() => pins.toggle(items.map(({ id }) => id)))}
      >
        <Icon name="pin" />
        Pin
      </button>
      <button type="button" className="button button-quiet" onClick={act(() => away.archive(items))}>
        <Icon name="archive" />
        Archive
      </button>
      <button type="button" className="button button-quiet" onClick={() => setAsks('project')}>
        <Icon name="folder" />
        Move…
      </button>
      <button type="button" className="button button-quiet hide-narrow" onClick={() => setAsks('tags')}>
        <Icon name="tag" />
        Tag…
      </button>
      <AddTitles ids={ids} onDone={onClear} />
      <button type="button" className="button button-quiet hide-narrow" onClick={() => setAsks('export')}>
        <Icon name="download" />
        Export…
      </button>
      <span className="bulk-line hide-narrow" />
      <button type="button" className="button button-quiet bulk-delete hide-narrow" onClick={() => setAsks('delete')}>
        <Icon name="trash" />
        Delete…
      </button>
      <IconButton icon="close" label="Clear selection" keys="Esc" isSmall onClick={onClear} />
      {asks === 'project' && <MoveDialog items={items} onClose={close} onDone={onClear} />}
      {asks === 'tags' && <AddTagsDialog items={items} onClose={close} onDone={onClear} />}
      {asks === 'export' && <ExportManyDialog roots={items.map(({ id }) => id)} onClose={close} onDone={onClear} />}
      {asks === 'delete' && (
        <Question
          title={`Delete ${count(items.length, 'conversation')}?`}
          action="Delete"
          isDangerous
          onAnswer={act(() => away.remove(items))}
          onClose={close}
        >
          <p>
            They can be brought back.
            {bookmarked > 0 &&
              ` ${count(bookmarked, 'of them has', 'of them have')} bookmarks and will stay: a bookmark protects its conversation.`}
          </p>
        </Question>
      )}
    </div>
  );
}

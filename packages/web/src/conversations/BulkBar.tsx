import { useState } from 'react';
import type { ReactElement } from 'react';
import { useConversationsHost } from './conversations-host.ts';
import type { Acted } from '../navigator/away.ts';
import { MoveDialog } from '../navigator/MoveDialog.tsx';
import { Question } from '../ui/floating/Question.tsx';
import type { MenuItem } from '../ui/floating/Menu.tsx';
import { MenuButton } from '../ui/floating/MenuButton.tsx';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { count, grouped } from '../words/amounts.ts';
import { AddTagsDialog } from './AddTagsDialog.tsx';
import { ExportManyDialog } from './ExportManyDialog.tsx';
import { useAddTitles } from './use-add-titles.ts';

interface BulkBarProps {
  items: readonly Acted[];
  ids: ReadonlySet<string>;
  /** The number of selected conversations that bookmarks protect, as far as they are shown. */
  bookmarked: number;
  /** The number of conversations that the filters let through. */
  matching: number;
  /** Archived conversations are brought back, others archived; where both may be selected, either is offered. */
  archiving: 'archived' | 'present' | 'both';
  onAll: () => void;
  onClear: () => void;
}

/** The actions on the selected conversations. */
export function BulkBar({ items, ids, bookmarked, matching, archiving, onAll, onClear }: BulkBarProps): ReactElement {
  const { attempt, away, pins } = useConversationsHost();
  const [asks, setAsks] = useState<'project' | 'tags' | 'export' | 'delete'>();
  const close = (): void => setAsks(undefined);
  const act = (work: () => Promise<void>) => (): void => {
    attempt(work);
    onClear();
  };
  const titles = useAddTitles(ids, onClear);
  const archive: BulkAction = { label: 'Archive', icon: 'archive', run: act(() => away.archive(items)) };
  const bringBack: BulkAction = { label: 'Bring back', icon: 'undo', run: act(() => away.unarchive(items)) };
  const pin: BulkAction = { label: 'Pin', icon: 'pin', run: act(() => pins.toggle(items.map(({ id }) => id))) };
  const move: BulkAction = { label: 'Move…', icon: 'folder', run: () => setAsks('project') };
  const tag: BulkAction = { label: 'Tag…', icon: 'tag', run: () => setAsks('tags') };
  const name: BulkAction[] = titles === undefined ? [] : [{ ...titles, icon: 'edit' }];
  const save: BulkAction = { label: 'Export…', icon: 'download', run: () => setAsks('export') };
  const remove: BulkAction = { label: 'Delete…', icon: 'trash', run: () => setAsks('delete'), isDangerous: true };
  const first = [...(archiving === 'archived' ? [] : [archive]), ...(archiving === 'present' ? [] : [bringBack]), move];
  // These stand in a menu if there is no room.
  const all: BulkAction[] =
    items.length < matching ? [{ label: `Select all ${grouped(matching)}`, icon: 'list', run: onAll }] : [];
  const further: BulkAction[] = [...all, pin, tag, ...name, save, { ...remove, isApart: true }];
  return (
    <div className="bulk-bar" role="toolbar" aria-label={`${items.length} selected`}>
      <strong className="figures">{grouped(items.length)} selected</strong>
      {items.length < matching && (
        <button type="button" className="text-button hide-narrow" onClick={onAll}>
          Select all {grouped(matching)}
        </button>
      )}
      <span className="bulk-line hide-narrow" />
      <BulkButton {...pin} isWide />
      {first.map((action) => (
        <BulkButton key={action.label} {...action} />
      ))}
      {[tag, ...name, save].map((action) => (
        <BulkButton key={action.label} {...action} isWide />
      ))}
      <span className="bulk-line hide-narrow" />
      <BulkButton {...remove} isWide />
      <span className="only-narrow">
        <MenuButton label="More for the selected" items={() => further} isSmall />
      </span>
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

type BulkAction = MenuItem & { readonly icon: IconName };

/** A button of the bar; `isWide` if it stands there only where there is room for all. */
function BulkButton({
  label,
  icon,
  run,
  isDangerous = false,
  isWide = false,
}: BulkAction & { isWide?: boolean }): ReactElement {
  const classes = ['button button-quiet', isDangerous && 'bulk-delete', isWide && 'hide-narrow'];
  return (
    <button type="button" className={classes.filter((name) => name !== false).join(' ')} onClick={run}>
      <Icon name={icon} />
      {label}
    </button>
  );
}

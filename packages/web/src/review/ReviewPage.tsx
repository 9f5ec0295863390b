import { useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useBlockHost } from '../blocks/block-host.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { useHomeChanges } from '../stores/use-home-changes.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Segments } from '../ui/Segments.tsx';
import { useMedia } from '../ui/use-media.ts';
import { useMay } from '../work/use-may.ts';
import { useWorkHost } from '../work/work-host.ts';
import { inOrder, undoOffer } from './change-set.ts';
import type { ChangedFile, ChangeScope } from './change-set.ts';
import { ChangeNotes } from './ChangeNotes.tsx';
import { CommentBar } from './CommentBar.tsx';
import { keptComments } from './comments.ts';
import { FileList, goToFile } from './FileList.tsx';
import { Review } from './review.ts';
import { ReviewContext } from './review-context.ts';
import { ReviewFile } from './ReviewFile.tsx';
import { UndoDialog } from './UndoDialog.tsx';
import { useChanges } from './use-changes.ts';
import { Viewed } from './viewed.ts';

interface ReviewPageProps extends ChangeScope {
  conversation: OpenConversation;
  title: string;
  /** The file to begin at. */
  file?: string | undefined;
}

const views = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Split' },
] as const;
const scopes = [
  { value: 'turn', label: 'This turn' },
  { value: 'branch', label: 'This branch' },
] as const;
const none: readonly ChangedFile[] = [];

/** The changes of a turn or a branch as one diff, to read, to comment on and to take back. */
export function ReviewPage({ conversation, node, scope, title, file }: ReviewPageProps): ReactElement {
  const host = useWorkHost();
  const { diffView } = useBlockHost();
  const { ask, attempt, openReview, leaveReview, hasLetterKeys } = host;
  const path = useStore(conversation.path);
  const { value, failure, isAsking } = useChanges({ node, scope }, scope === 'branch' ? (path.at(-1) ?? '') : '');
  const files = useMemo(() => (value === undefined ? none : inOrder(value.files)), [value]);
  const offer = undoOffer(files);
  const [review] = useState(
    () => new Review(keptComments(localStorage, conversation.root), new Viewed(ask, conversation.root)),
  );
  const isWide = useMedia('(min-width: 1100px)');
  const view = useStore(diffView);
  const mayUndo = useMay('turn.undo_files') === true;
  const [undoing, setUndoing] = useState<readonly ChangedFile[]>();
  const main = useRef<HTMLElement>(null);
  useEffect(() => attempt(() => review.viewed.load()), [attempt, review]);
  useHomeChanges(review.viewed.prefix, () => review.viewed.follow());
  useEffect(() => main.current?.querySelector<HTMLElement>('.review-files')?.focus(), []);
  const isLoaded = value !== undefined;
  useEffect(() => {
    if (isLoaded && file !== undefined) goToFile(file);
  }, [isLoaded, file]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea, dialog')) return;
    if (event.key === 'Escape') leaveReview();
    else if (!hasLetterKeys.getSnapshot() || !act(event.key.toLowerCase())) return;
    event.preventDefault();
  };
  const act = (key: string): boolean => {
    const place = main.current;
    if (place === null) return false;
    if (key === 'j' || key === 'k') return review.walk(place, '.review-file-head', key === 'j' ? 1 : -1);
    if (key === 'n' || key === 'p') return review.walk(place, '[data-change-start]', key === 'n' ? 1 : -1);
    if (key === 'c') return review.comment(place);
    if (key === 'b') return review.tellWriter(place);
    const file = review.currentFile(place, files);
    if (key === 'v' && file !== undefined) attempt(() => review.viewed.set(file, !review.viewed.has(file)));
    else if (key === 'u' && isWide) diffView.set(view === 'split' ? 'unified' : 'split');
    else return false;
    return true;
  };
  return (
    <ReviewContext value={review}>
      <main id="main" ref={main} tabIndex={-1} className="main review" data-keys="list" onKeyDown={onKeyDown}>
        <header className="top-bar">
          <IconButton icon="left" label="Back to the conversation" keys="Esc" onClick={leaveReview} />
          <h1 className="review-title">Review changes</h1>
          <span className="top-bar-branch cut not-narrow">{title}</span>
          <span className="grow" />
          <Segments
            label="What is shown"
            choices={scopes}
            chosen={scope}
            onChoose={(now) => openReview({ node, scope: now }, { isSame: true })}
          />
          {isWide && <Segments label="Layout" choices={views} chosen={view} onChoose={(now) => diffView.set(now)} />}
          {mayUndo && offer !== undefined && (
            <span className="not-narrow">
              <button type="button" className="button" onClick={() => setUndoing(offer.files)}>
                {offer.words}
              </button>
            </span>
          )}
        </header>
        <div className="review-body">
          <FileList files={files} />
          <div className="review-files scroll" tabIndex={0} role="region" aria-label="Changes">
            {failure !== undefined && (
              <p className="middle failure" role="alert">
                {failure}
              </p>
            )}
            {value === undefined && failure === undefined && isAsking && <p className="middle">Comparing files…</p>}
            <ChangeNotes notes={value?.notes} />
            {value !== undefined && files.length + value.notes.length === 0 && (
              <p className="middle">
                {scope === 'turn' ? 'This turn changed no files.' : 'This branch changed no files.'}
              </p>
            )}
            {files.map((file) => (
              <ReviewFile
                key={file.path}
                file={file}
                view={isWide ? view : 'unified'}
                onUndo={mayUndo ? () => setUndoing([file]) : undefined}
              />
            ))}
          </div>
        </div>
        <CommentBar />
        {undoing !== undefined && (
          <UndoDialog
            root={conversation.root}
            files={undoing}
            notes={undoing.length === offer?.files.length ? value?.notes : undefined}
            onClose={() => setUndoing(undefined)}
          />
        )}
      </main>
    </ReviewContext>
  );
}

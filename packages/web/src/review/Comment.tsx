import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { commentsMessage, lineWords } from './comments.ts';
import type { LinePlace, ReviewComment } from './comments.ts';
import { useReview } from './review-context.ts';

interface CommentFieldProps {
  place: LinePlace;
  excerpt: string;
  /** The comment that is changed, if there is one already. */
  comment: ReviewComment | undefined;
}

/** The field for a comment about a line. It is added to the others, or asked at once. */
export function CommentField({ place, excerpt, comment }: CommentFieldProps): ReactElement {
  const review = useReview();
  const { attempt, say, leaveReview } = useWorkHost();
  const [text, setText] = useState(comment?.text ?? review.begun);
  const [isSending, setSending] = useState(false);
  const made: ReviewComment = { ...place, excerpt, text: text.trim() };
  const isEmpty = made.text === '';
  const close = (): void => {
    review.begun = '';
    review.writing.set(undefined);
    document.querySelector<HTMLElement>('.review-files')?.focus({ preventScroll: true });
  };
  const add = (): void => {
    if (isEmpty) return;
    review.add(made);
    close();
  };
  const askNow = (): void => {
    if (isEmpty || isSending) return;
    setSending(true);
    attempt(async () => {
      try {
        await say(commentsMessage([made]));
        review.remove(place);
        review.writing.set(undefined);
        leaveReview();
      } finally {
        setSending(false);
      }
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="review-field">
      <textarea
        dir="auto"
        autoFocus
        rows={2}
        aria-label={`Comment on ${lineWords(place)} of ${place.path}`}
        value={text}
        onChange={(event) => {
          review.begun = event.target.value;
          setText(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="review-field-foot">
        <button type="button" className="button button-primary" aria-disabled={isEmpty} onClick={add}>
          {comment === undefined ? 'Add comment' : 'Change comment'}
        </button>
        <button type="button" className="button button-quiet" aria-disabled={isEmpty || isSending} onClick={askNow}>
          Ask about {place.from === undefined ? 'this line' : 'these lines'} now
        </button>
        <span className="grow" />
        <span className="composer-hint not-narrow">
          <kbd>Ctrl Enter</kbd> adds
        </span>
      </div>
    </div>
  );
}

/** A comment that waits to be sent. */
export function CommentView({ comment }: { comment: ReviewComment }): ReactElement {
  const review = useReview();
  return (
    <div className="review-comment">
      <div className="review-comment-head">
        <span className="mark mark-person" />
        <strong>You</strong>
        <span className="grow quiet">{lineWords(comment)}</span>
        <IconButton icon="edit" label="Edit the comment" isSmall onClick={() => review.writing.set(comment)} />
        <IconButton icon="trash" label="Remove the comment" isSmall onClick={() => review.remove(comment)} />
      </div>
      <p dir="auto">{comment.text}</p>
    </div>
  );
}

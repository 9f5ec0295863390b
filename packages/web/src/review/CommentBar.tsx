import { useState } from 'react';
import type { ReactElement } from 'react';
import { useStore } from '../stores/use-store.ts';
import { Dialog } from '../ui/floating/Dialog.tsx';
import { Icon } from '../ui/Icon.tsx';
import { count, tokens } from '../words/amounts.ts';
import { useWorkHost } from '../work/work-host.ts';
import { commentsMessage } from './comments.ts';
import { useReview } from './review-context.ts';

/** The comments that wait: all of them go to the model as one message. */
export function CommentBar(): ReactElement | null {
  const review = useReview();
  const { attempt, say, leaveReview } = useWorkHost();
  const comments = useStore(review.comments);
  const [isSending, setSending] = useState(false);
  const [hasPreview, setPreview] = useState(false);
  if (comments.length === 0) return null;
  const message = commentsMessage(comments);
  const send = (): void => {
    if (isSending) return;
    setSending(true);
    attempt(async () => {
      try {
        await say(message);
        review.comments.set([]);
        leaveReview();
      } finally {
        setSending(false);
      }
    });
  };
  return (
    <footer className="review-bar">
      <Icon name="message" />
      <span className="grow">
        <strong>{count(comments.length, 'comment')}</strong>
        <span className="not-narrow">
          {' '}
          {comments.length === 1 ? 'goes' : 'go'} to the model as one message, each with its file, line and the code
          around it.
        </span>
      </span>
      <span className="quiet not-narrow">about {tokens(Math.ceil(message.length / 4))} tokens</span>
      <span className="not-narrow">
        <button type="button" className="text-button" onClick={() => setPreview(true)}>
          Preview message
        </button>
      </span>
      <button type="button" className="button button-primary" aria-disabled={isSending} onClick={send}>
        Send {count(comments.length, 'comment')}
      </button>
      {hasPreview && (
        <Dialog title="The message" isWide onClose={() => setPreview(false)}>
          <pre className="ask-command review-preview">{message}</pre>
          <div className="dialog-buttons">
            <button type="button" data-safe className="button" onClick={() => setPreview(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </footer>
  );
}

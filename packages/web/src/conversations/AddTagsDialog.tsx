import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useConversationsHost } from './conversations-host.ts';
import type { Acted } from '../navigator/away.ts';
import { readTags } from '../navigator/conversation-actions.ts';
import { Question } from '../ui/floating/Question.tsx';
import { count } from '../words/amounts.ts';

interface AddTagsDialogProps {
  items: readonly Acted[];
  onClose: () => void;
  onDone: () => void;
}

/** Adds tags to conversations; those that they have stay. */
export function AddTagsDialog({ items, onClose, onDone }: AddTagsDialogProps): ReactElement {
  const { attempt, away } = useConversationsHost();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const add = (): void => {
    const tags = readTags(text);
    if (tags.length === 0) return;
    attempt(() => away.tag(items, tags));
    onDone();
  };
  return (
    <Question
      title={`Tag ${count(items.length, 'conversation')}`}
      action="Add"
      onAnswer={add}
      onClose={onClose}
      initialFocus={field}
    >
      <div className="field">
        <input ref={field} aria-label="Tags" value={text} onChange={({ target }) => setText(target.value)} />
      </div>
      <p className="field-hint">Words with commas between them. The tags that they have stay.</p>
    </Question>
  );
}

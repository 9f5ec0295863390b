import { useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';
import { useBlockHost } from '../block-host.ts';
import { useArmed } from './use-armed.ts';

interface AnswerProps {
  node: string;
  label: string;
  isSending: boolean;
  onAnswer: (text: string) => void;
  onDeny: () => void;
}

/** The field for the answer to a model's question. */
export function Answer({ node, label, isSending, onAnswer, onDeny }: AnswerProps): ReactElement {
  const isArmed = useArmed();
  const { answers } = useBlockHost();
  const [text, setText] = useState(() => answers.get(node) ?? '');
  const write = (next: string): void => {
    setText(next);
    answers.set(node, next);
  };
  const isOff = isSending || !isArmed;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!isOff && text.trim() !== '') onAnswer(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form className="ask-choices" onSubmit={submit}>
      <textarea
        className="field grow"
        rows={1}
        aria-label={`Answer to: ${label}`}
        placeholder="Your answer"
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="button button-primary" aria-disabled={isOff || text.trim() === ''}>
        Answer
      </button>
      <button
        type="button"
        className="button button-quiet"
        aria-disabled={isOff}
        onClick={() => {
          if (!isOff) onDeny();
        }}
      >
        Do not answer
      </button>
    </form>
  );
}

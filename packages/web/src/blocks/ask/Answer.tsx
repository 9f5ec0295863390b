import { useId, useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';
import { useBlockHost } from '../block-host.ts';
import type { QuestionOption } from './question-options.ts';
import { useArmed } from './use-armed.ts';

interface AnswerProps {
  node: string;
  label: string;
  options: readonly QuestionOption[];
  isSending: boolean;
  onAnswer: (text: string) => void;
  onDeny: () => void;
}

/** The ways to answer a model's question: what it offers, and own words, which count more. */
export function Answer({ node, label, options, isSending, onAnswer, onDeny }: AnswerProps): ReactElement {
  const isArmed = useArmed();
  const { answers } = useBlockHost();
  const [text, setText] = useState(() => answers.get(node) ?? '');
  const [chosen, setChosen] = useState<string>();
  const write = (next: string): void => {
    setText(next);
    answers.set(node, next);
  };
  const answer = text.trim() === '' ? (chosen ?? '') : text;
  const isOff = isSending || !isArmed;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!isOff && answer.trim() !== '') onAnswer(answer);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form className="ask-answer" onSubmit={submit}>
      <Options label={label} options={options} chosen={text.trim() === '' ? chosen : undefined} onChoose={setChosen} />
      <div className="ask-choices">
        <textarea
          dir="auto"
          className="field grow"
          rows={1}
          aria-label={`Answer to: ${label}`}
          placeholder={options.length === 0 ? 'Your answer' : 'Or answer in your own words'}
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <button
          type="submit"
          className={answer.trim() === '' ? 'button' : 'button button-primary'}
          aria-disabled={isOff || answer.trim() === ''}
        >
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
          Let the model decide
        </button>
      </div>
    </form>
  );
}

interface OptionsProps {
  label: string;
  options: readonly QuestionOption[];
  chosen: string | undefined;
  onChoose: (label: string) => void;
}

function Options({ label, options, chosen, onChoose }: OptionsProps): ReactElement | null {
  const name = useId();
  if (options.length === 0) return null;
  return (
    <div role="radiogroup" className="ask-options" aria-label={label}>
      {options.map((option) => (
        <label key={option.label} className="ask-option">
          <input type="radio" name={name} checked={chosen === option.label} onChange={() => onChoose(option.label)} />
          <span>{option.label}</span>
          {option.description !== undefined && <small>{option.description}</small>}
        </label>
      ))}
    </div>
  );
}

import { useId, useRef, useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';
import type { Answer, Question } from '@loom/kernel';
import { count } from '../../words/amounts.ts';
import { useBlockHost } from '../block-host.ts';
import { answersOf, choose, isAnswered, noAnswer, say } from './questions-of.ts';
import type { AnswerDraft } from './questions-of.ts';
import { useArmed } from './use-armed.ts';

interface QuestionsProps {
  node: string;
  questions: readonly Question[];
  isSending: boolean;
  onAnswer: (answers: readonly Answer[]) => void;
  onSkip: () => void;
}

/** All questions of a call, answered at once: by choices, by own words, or both. */
export function Questions({ node, questions, isSending, onAnswer, onSkip }: QuestionsProps): ReactElement {
  const { answers } = useBlockHost();
  const isArmed = useArmed();
  const [drafts, setDrafts] = useState(() => answers.get(node) ?? questions.map(() => noAnswer));
  const form = useRef<HTMLFormElement>(null);
  const change = (index: number, draft: AnswerDraft): void => {
    const next = drafts.map((one, at) => (at === index ? draft : one));
    setDrafts(next);
    answers.set(node, next);
  };
  const answered = drafts.filter(isAnswered).length;
  const isOff = isSending || !isArmed;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (isOff) return;
    if (answered === questions.length) return onAnswer(answersOf(drafts, questions));
    // The next one that has no answer is where the keys go.
    const open = form.current?.querySelectorAll('fieldset')[drafts.findIndex((draft) => !isAnswered(draft))];
    open?.querySelector<HTMLElement>('input, textarea')?.focus();
  };
  const isOne = questions.length === 1;
  const skip = (): void => {
    if (!isOff) onSkip();
  };
  return (
    <form ref={form} onSubmit={submit}>
      <div className={isOne ? 'ask-asked ask-asked-one' : 'ask-asked'}>
        {questions.map((question, index) => (
          <QuestionFields
            key={index}
            question={question}
            draft={drafts[index] ?? noAnswer}
            hasTitle={!isOne}
            onChange={(draft) => change(index, draft)}
            onSubmit={submit}
          />
        ))}
      </div>
      <div className="ask-choices">
        <button
          type="submit"
          className={answered === questions.length ? 'button button-primary' : 'button'}
          aria-disabled={isOff || answered < questions.length}
        >
          {isOne ? 'Send answer' : `Send ${count(questions.length, 'answer')}`}
        </button>
        <button type="button" className="button button-quiet" aria-disabled={isOff} onClick={skip}>
          Skip, you decide
        </button>
        <span className="grow" />
        {!isOne && (
          <span className="aside figures">
            {answered} of {questions.length} answered
          </span>
        )}
      </div>
    </form>
  );
}

interface QuestionFieldsProps {
  question: Question;
  draft: AnswerDraft;
  /** True if the question is shown here; otherwise the card shows it. */
  hasTitle: boolean;
  onChange: (draft: AnswerDraft) => void;
  onSubmit: () => void;
}

function QuestionFields({ question, draft, hasTitle, onChange, onSubmit }: QuestionFieldsProps): ReactElement {
  const name = useId();
  const { text, choices = [], several } = question;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    <fieldset className="ask-options" aria-label={text}>
      {(hasTitle || several === true) && (
        <legend>
          {hasTitle && text} {several === true && <small>choose any</small>}
        </legend>
      )}
      {choices.map(({ label, detail }) => (
        <label key={label} className="ask-option">
          <input
            type={several === true ? 'checkbox' : 'radio'}
            name={name}
            checked={draft.chosen.includes(label)}
            onChange={() => onChange(choose(draft, label, question))}
          />
          <span>{label}</span>
          {detail !== undefined && <small>{detail}</small>}
        </label>
      ))}
      <textarea
        dir="auto"
        className="field"
        rows={1}
        aria-label={`Answer to: ${text}`}
        placeholder={choices.length === 0 ? 'Your answer' : several === true ? 'Anything else…' : 'Something else…'}
        value={draft.text}
        onChange={(event) => onChange(say(draft, event.target.value, question))}
        onKeyDown={onKeyDown}
      />
    </fieldset>
  );
}

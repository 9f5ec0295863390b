import type { ReactElement } from 'react';
import { useBlockHost } from '../block-host.ts';
import { spelledOut } from './changed-arguments.ts';
import { decidedWords } from './decided-words.ts';
import type { Decided } from './decided-words.ts';
import { answerWords } from './questions-of.ts';
import { RuleView } from './RuleView.tsx';

/** A decision about a call and its author, with the answers, the rules and the arguments that came with it. */
export function DecidedNote({ decided }: { decided: Decided }): ReactElement {
  const { agent } = useBlockHost();
  const { answers, questions = [], rules, arguments_changed: changed } = decided;
  return (
    <div className="tool-body tool-note">
      <p>{decidedWords(decided, agent)}</p>
      {rules?.map((rule, index) => (
        <RuleView key={index} rule={rule} />
      ))}
      {answers !== undefined && (
        <dl className="answers-given">
          {answers.map((answer, index) => (
            <div key={index}>
              <dt>{questions[index]?.text}</dt>
              <dd>{answerWords(answer)}</dd>
            </div>
          ))}
        </dl>
      )}
      {changed !== undefined && (
        <>
          <p>It ran with</p>
          <pre className="ask-command" aria-label="Arguments as they were changed">
            {spelledOut(changed)}
          </pre>
        </>
      )}
    </div>
  );
}

import type { ReactElement } from 'react';

interface ChangedArgumentsProps {
  text: string;
  problem: string | undefined;
  onChange: (text: string) => void;
}

/** The arguments of a call, to be changed before it runs. */
export function ChangedArguments({ text, problem, onChange }: ChangedArgumentsProps): ReactElement {
  return (
    <div className="ask-rule">
      <textarea
        className="field ask-arguments"
        aria-label="Arguments, as JSON"
        aria-invalid={problem !== undefined}
        spellCheck={false}
        value={text}
        autoFocus
        onChange={(event) => onChange(event.target.value)}
      />
      <p className={problem === undefined ? 'aside' : 'ask-trouble'} role={problem === undefined ? undefined : 'alert'}>
        {problem ?? 'The call runs with these. What the model wrote stays in the history beside them.'}
      </p>
    </div>
  );
}

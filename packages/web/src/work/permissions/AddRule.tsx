import { useId, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Question } from '../../ui/floating/Question.tsx';
import type { Effect, Rule } from './permission-answers.ts';

interface AddRuleProps {
  onAdd: (rule: Rule) => void;
  onClose: () => void;
}

const subjects = [
  { value: 'command', label: 'a command', tools: ['shell'], hint: 'npm test *' },
  { value: 'change', label: 'changes to files', tools: ['write', 'edit', 'apply_patch'], hint: 'docs/**' },
  { value: 'read', label: 'reading files', tools: ['read', 'list', 'search'], hint: 'src/**' },
  { value: 'host', label: 'web pages', tools: ['fetch_url'], hint: 'developer.mozilla.org' },
] as const;

/** Makes the rules of a wish: one for each tool that does it. */
function rulesOf(
  subject: (typeof subjects)[number]['value'],
  effect: Effect,
  pattern: string,
  directory: string,
): Rule[] {
  const { tools } = subjects.find(({ value }) => value === subject) ?? subjects[0];
  const key = subject === 'command' ? 'command' : subject === 'host' ? 'host' : 'path';
  return tools.map((tool) => ({
    tool,
    [key]: pattern.trim(),
    ...(directory.trim() === '' ? {} : { directory: directory.trim() }),
    effect,
  }));
}

/** Asks for a rule: what to do, about what, and where. */
export function AddRule({ onAdd, onClose }: AddRuleProps): ReactElement {
  const [effect, setEffect] = useState<Effect>('allow');
  const [subject, setSubject] = useState<(typeof subjects)[number]['value']>('command');
  const [pattern, setPattern] = useState('');
  const [directory, setDirectory] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { hint } = subjects.find(({ value }) => value === subject) ?? subjects[0];
  const add = (): void => {
    if (pattern.trim() === '') return;
    for (const rule of rulesOf(subject, effect, pattern, directory)) onAdd(rule);
  };
  return (
    <Question title="Add a rule" action="Add rule" initialFocus={field} onAnswer={add} onClose={onClose}>
      <div className="rule-form">
        <label htmlFor={`${id} effect`}>Do this</label>
        <select id={`${id} effect`} value={effect} onChange={(event) => setEffect(effectOf(event.target.value))}>
          <option value="allow">Allow without asking</option>
          <option value="ask">Always ask</option>
          <option value="deny">Deny</option>
        </select>
        <label htmlFor={`${id} subject`}>For</label>
        <select
          id={`${id} subject`}
          value={subject}
          onChange={(event) =>
            setSubject(subjects.find(({ value }) => value === event.target.value)?.value ?? 'command')
          }
        >
          {subjects.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <label htmlFor={`${id} pattern`}>That match</label>
        <span className="field">
          <input
            id={`${id} pattern`}
            ref={field}
            className="mono"
            placeholder={hint}
            spellCheck={false}
            value={pattern}
            onChange={(event) => setPattern(event.target.value)}
          />
        </span>
        <label htmlFor={`${id} folder`}>Only in the folder</label>
        <span className="field">
          <input
            id={`${id} folder`}
            placeholder="any folder"
            spellCheck={false}
            value={directory}
            onChange={(event) => setDirectory(event.target.value)}
          />
        </span>
      </div>
      {subject === 'command' && (
        <p>
          The words of one command; a <code>*</code> at the end stands for any further arguments. Anything joined to it
          still asks.
        </p>
      )}
    </Question>
  );
}

function effectOf(value: string): Effect {
  return value === 'deny' || value === 'ask' ? value : 'allow';
}

import { useRef, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { Dialog } from '../../ui/floating/Dialog.tsx';
import { describeFailure } from '../../words/failures.ts';
import { modes } from '../mode-words.ts';
import type { Mode } from '../mode-words.ts';
import { useWorkHost } from '../work-host.ts';
import { testedRule } from './permission-answers.ts';
import type { TestedRule } from './permission-answers.ts';
import { ruleText } from './rule-line.ts';

const outcomes: { readonly [Permission in TestedRule['permission']]: string } = {
  run: 'It would run without asking.',
  ask: 'It would ask first.',
  deny: 'It would be denied.',
};

/** Tells what would happen to a command, without running it. */
export function TestCommand({ mode: usual, onClose }: { mode: Mode; onClose: () => void }): ReactElement {
  const { ask } = useWorkHost();
  const [command, setCommand] = useState('');
  const [directory, setDirectory] = useState('');
  const [mode, setMode] = useState(usual);
  const [tested, setTested] = useState<TestedRule | { failure: string }>();
  const asked = useRef(0);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (command.trim() === '') return;
    asked.current += 1;
    const number = asked.current;
    const show = (now: TestedRule | { failure: string }): void => {
      if (number === asked.current) setTested(now);
    };
    const place = directory.trim() === '' ? {} : { directory: directory.trim() };
    ask('permission.test', { tool: 'shell', command, mode, ...place }).then(
      (value) => show(testedRule.parse(value)),
      (error: unknown) => show({ failure: describeFailure(error) }),
    );
  };
  return (
    <Dialog title="Test a command" onClose={onClose}>
      <form className="rule-form" onSubmit={submit}>
        <label htmlFor="test-command">Command</label>
        <span className="field">
          <input
            id="test-command"
            className="mono"
            spellCheck={false}
            value={command}
            onChange={(event) => setCommand(event.target.value)}
          />
        </span>
        <label htmlFor="test-folder">In the folder</label>
        <span className="field">
          <input
            id="test-folder"
            placeholder="any folder"
            spellCheck={false}
            value={directory}
            onChange={(event) => setDirectory(event.target.value)}
          />
        </span>
        <label htmlFor="test-mode">In the mode</label>
        <select
          id="test-mode"
          value={mode}
          onChange={(event) => setMode(modes.find((one) => one.mode === event.target.value)?.mode ?? 'ask')}
        >
          {modes.map(({ mode: value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <span />
        <button type="submit" className="button button-primary rule-test">
          Test
        </button>
      </form>
      <div role="status">
        {tested !== undefined &&
          ('failure' in tested ? (
            <p className="failure">{tested.failure}</p>
          ) : (
            <>
              <p className={`rule-outcome rule-outcome-${tested.permission}`}>
                <strong>{outcomes[tested.permission]}</strong> {tested.reason}
              </p>
              {tested.rule !== undefined && <p>The rule: {ruleText(tested.rule)}.</p>}
            </>
          ))}
      </div>
      <p>Nothing is run.</p>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

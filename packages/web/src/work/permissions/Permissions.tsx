import { useCallback, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useStore } from '../../stores/use-store.ts';
import { useAnswer } from '../../ui/use-answer.ts';
import { Icon } from '../../ui/Icon.tsx';
import { modes } from '../mode-words.ts';
import { useSandbox } from '../sandbox.ts';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';
import { AddRule } from './AddRule.tsx';
import { ruleList } from './permission-answers.ts';
import type { StoredRule } from './permission-answers.ts';
import { RuleTable } from './RuleTable.tsx';
import { TestCommand } from './TestCommand.tsx';

interface PermissionsProps {
  /** The link to what was decided so far. */
  history: ReactNode;
}

/** The rights of models on this computer: the usual mode, the sandbox, and the rules. */
export function Permissions({ history }: PermissionsProps): ReactElement {
  const { ask, attempt, agent, tell, beginning } = useWorkHost();
  const maySee = useMay('permission.list');
  const read = useCallback(async () => {
    const items: StoredRule[] = [];
    let page = ruleList.parse(await ask('permission.list', { limit: 500 }));
    items.push(...page.items);
    while (page.next !== undefined) {
      page = ruleList.parse(await ask('permission.list', { limit: 500, after: page.next }));
      items.push(...page.items);
    }
    return items;
  }, [ask]);
  const { value, failure, again } = useAnswer(read);
  const usual = useStore(beginning.usualMode);
  const [open, setOpen] = useState<'add' | 'test'>();
  const change = (work: () => Promise<unknown>): void =>
    attempt(async () => {
      await work();
      again();
    });
  const remove = ({ id, rule }: StoredRule): void =>
    change(async () => {
      await ask('permission.remove', { id });
      tell('Removed the rule.', {
        label: 'Undo',
        run: () => change(() => ask('permission.add', { rule })),
      });
    });
  if (maySee === false) return <p className="settings-note">Only an owner of this Loom sees and changes these.</p>;
  return (
    <>
      {failure !== undefined && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      <UsualMode />
      <SandboxSection />
      {value !== undefined && (
        <>
          <RuleTable rules={value} reader={agent} onRemove={remove} />
          <div className="rules-foot">
            <button type="button" className="button" onClick={() => setOpen('add')}>
              <Icon name="plus" />
              Add a rule…
            </button>
            <button type="button" className="button button-quiet" onClick={() => setOpen('test')}>
              Test a command…
            </button>
            <span className="grow" />
            {history}
          </div>
          {open === 'add' && (
            <AddRule
              onAdd={(rule) => change(() => ask('permission.add', { rule }))}
              onClose={() => setOpen(undefined)}
            />
          )}
          {open === 'test' && <TestCommand mode={usual} onClose={() => setOpen(undefined)} />}
        </>
      )}
    </>
  );
}

function UsualMode(): ReactElement {
  const { usualMode } = useWorkHost().beginning;
  const mode = useStore(usualMode);
  const { value: sandbox } = useSandbox();
  return (
    <fieldset className="mode-cards">
      <legend>Mode for new conversations</legend>
      {modes.map(({ mode: value, name, about }) => {
        const isOff = value === 'sandbox' && sandbox?.available !== true;
        return (
          <label key={value} className="mode-card">
            <input
              type="radio"
              name="usual-mode"
              checked={mode === value}
              disabled={isOff}
              onChange={() => usualMode.set(value)}
            />
            <span>{name}</span>
            <small>{about}</small>
          </label>
        );
      })}
      <p className="mode-cards-note">Kept in this browser. Each conversation can have another one.</p>
    </fieldset>
  );
}

function SandboxSection(): ReactElement {
  const { value, failure } = useSandbox();
  return (
    <section className="sandbox-section" aria-label="Sandbox">
      <h3>
        Sandbox
        {value !== undefined && (
          <span className={value.available ? 'chip chip-good' : 'chip'}>
            {value.available ? 'Working' : 'Not available'}
          </span>
        )}
      </h3>
      {failure !== undefined && <p>{failure}</p>}
      {value?.available === false && (
        <p>{value.reason ?? 'This computer has none.'} Commands run with your own rights, so they ask.</p>
      )}
      {value?.available === true && (
        <>
          {value.reason !== undefined && <p>{value.reason}</p>}
          <ul>
            {value.holds.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

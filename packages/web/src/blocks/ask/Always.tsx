import { useEffect, useId, useRef } from 'react';
import type { ReactElement } from 'react';
import type { OfferedScope } from '@loom/blocks/asking';
import type { PermissionRule } from '@loom/kernel';
import { RuleView } from './RuleView.tsx';

interface AlwaysProps {
  rules: readonly PermissionRule[];
  scopes: readonly OfferedScope[];
  scope: OfferedScope['scope'];
  folder: string | undefined;
  /** The agent that asks keeps the rules. */
  isAgents: boolean;
  onChoose: (scope: OfferedScope['scope']) => void;
}

/** The rules that "always" would store, and how far they reach. It has the focus once it is open. */
export function Always(props: AlwaysProps): ReactElement {
  const { rules, scopes, scope, folder, isAgents, onChoose } = props;
  const name = useId();
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => (part.current?.querySelector<HTMLElement>('input:checked') ?? part.current)?.focus(), []);
  const [only] = scopes;
  return (
    <div ref={part} className="ask-rule" tabIndex={-1} aria-label="Always allow" role="group">
      {rules.map((rule, index) => (
        <RuleView key={index} rule={rule} />
      ))}
      {scopes.length === 1 && only !== undefined ? (
        <p className="aside">{`${only.label}, from now on.`}</p>
      ) : (
        <div role="radiogroup" className="rule-scopes" aria-label="Where it holds">
          {scopes.map(({ scope: value, label, detail }) => (
            <label key={value} className="rule-scope" title={value === 'folder' ? folder : undefined}>
              <input type="radio" name={name} checked={scope === value} onChange={() => onChoose(value)} />
              <span>{label}</span>
              {detail !== undefined && <small>{detail}</small>}
            </label>
          ))}
        </div>
      )}
      {isAgents && <p className="aside">The agent that asks is given the rule and keeps it.</p>}
    </div>
  );
}

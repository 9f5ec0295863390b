import { useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { MenuButton } from '../../ui/floating/MenuButton.tsx';
import { count } from '../../words/amounts.ts';
import { shortTime } from '../../words/times.ts';
import { folderName } from '../paths.ts';
import type { Effect, StoredRule } from './permission-answers.ts';
import { ruleLine, ruleText } from './rule-line.ts';

interface RuleTableProps {
  rules: readonly StoredRule[];
  /** The agent name of the reader. */
  reader: string;
  onRemove: (rule: StoredRule) => void;
}

const effects: { readonly [Kind in Effect]: string } = { allow: 'Allow', ask: 'Ask', deny: 'Deny' };

/** The stored rules in the order in which they are tried, with who added them and how often they decided. */
export function RuleTable({ rules, reader, onRemove }: RuleTableProps): ReactElement {
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const shown = rules.filter(({ rule }) => `${ruleText(rule)} ${rule.directory ?? ''}`.toLowerCase().includes(wanted));
  const now = Date.now();
  const isCounted = rules.some(({ uses }) => uses !== undefined);
  return (
    <>
      <div className="rules-head">
        <h3 className="grow">Rules</h3>
        <span className="quiet">the first matching rule wins, a matching deny always</span>
        {rules.length > 5 && (
          <label className="field">
            <Icon name="search" />
            <input
              aria-label="Find a rule"
              placeholder="Find a rule"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </label>
        )}
      </div>
      {rules.length === 0 ? (
        <p className="settings-empty">
          There are no rules. “Always allow…” on a card adds one, and so does the button below.
        </p>
      ) : (
        <table className="rules">
          <thead>
            <tr>
              <th scope="col">Effect</th>
              <th scope="col">Rule</th>
              <th scope="col">Where</th>
              <th scope="col">Added</th>
              {isCounted && <th scope="col">Used</th>}
              <th scope="col">
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((stored) => (
              <tr key={stored.id}>
                <td className={`rule-${stored.rule.effect}`}>{effects[stored.rule.effect]}</td>
                <td>
                  {ruleLine(stored.rule).map(({ text, isExact }, index) =>
                    isExact ? <code key={index}>{text}</code> : <span key={index}>{text}</span>,
                  )}
                </td>
                <td title={stored.rule.directory}>
                  {stored.rule.directory === undefined ? 'anywhere' : folderName(stored.rule.directory)}
                </td>
                <td>{addedWords(stored, reader, now)}</td>
                {isCounted && <td className="figures">{usedWords(stored.uses)}</td>}
                <td>
                  <MenuButton
                    label={`Actions for: ${ruleText(stored.rule)}`}
                    isSmall
                    items={() => [{ label: 'Remove', icon: 'trash', isDangerous: true, run: () => onRemove(stored) }]}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shown.length === 0 && rules.length > 0 && <p className="settings-empty">No rule matches “{query}”.</p>}
    </>
  );
}

/** `you, Nov 11` */
function addedWords({ by, at }: StoredRule, reader: string, now: number): string {
  const who = by === undefined ? [] : [by === reader ? 'you' : by];
  const time = at === undefined ? Number.NaN : Date.parse(at);
  return [...who, ...(Number.isNaN(time) ? [] : [shortTime(time, now)])].join(', ') || '–';
}

function usedWords(uses: number | undefined): string {
  return uses === undefined || uses === 0 ? '–' : count(uses, 'time');
}

import { useCallback, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useAnswer } from '../../ui/use-answer.ts';
import { messageTime } from '../../words/times.ts';
import { useWorkHost } from '../work-host.ts';
import { decisionList } from './permission-answers.ts';
import type { MadeDecision } from './permission-answers.ts';

interface DecisionsProps {
  /** Draws a link to the conversation of a decision. */
  link: (decision: MadeDecision, words: string) => ReactNode;
}

const words: Readonly<Record<string, string>> = { approved: 'Allowed', denied: 'Denied', answered: 'Answered' };

/** The decisions about calls of tools, newest first: by people, and by rules. */
export function Decisions({ link }: DecisionsProps): ReactElement {
  const { ask, agent } = useWorkHost();
  const [limit, setLimit] = useState(50);
  const read = useCallback(async () => decisionList.parse(await ask('approval.list', { limit })), [ask, limit]);
  const { value, failure } = useAnswer(read);
  const now = Date.now();
  return (
    <>
      {failure !== undefined && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {value?.items.length === 0 && <p className="settings-empty">Nothing was decided yet.</p>}
      <ul className="decisions">
        {value?.items.map((item) => (
          <li key={`${item.node} ${String(item.at)}`}>
            <span className={item.decision === 'denied' ? 'decision decision-denied' : 'decision'}>
              {words[item.decision] ?? item.decision}
            </span>
            <code className="grow cut" title={item.summary}>
              {item.summary === '' ? item.tool : item.summary}
            </code>
            <span className="quiet">{whoWords(item, agent)}</span>
            <span className="quiet">{link(item, messageTime(timeOf(item.at), now))}</span>
          </li>
        ))}
      </ul>
      {value?.next !== undefined && (
        <button type="button" className="button" onClick={() => setLimit(limit + 100)}>
          Show more
        </button>
      )}
    </>
  );
}

function whoWords({ by, rule }: MadeDecision, reader: string): string {
  if (rule !== undefined) return 'by a rule';
  return by === undefined ? '' : by === reader ? 'you' : by;
}

function timeOf(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

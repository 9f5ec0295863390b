import type { ReactElement } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import type { AskFact } from './ask-facts.ts';

/** The facts to know before deciding, in one line. */
export function AskFacts({ facts }: { facts: readonly AskFact[] }): ReactElement | null {
  if (facts.length === 0) return null;
  return (
    <ul className="ask-facts" aria-label="What to know">
      {facts.map(({ icon, text, path, isDanger }) => (
        <li key={text} className={isDanger === true ? 'ask-fact ask-danger' : 'ask-fact'}>
          <Icon name={icon} small />
          <span title={path}>{text}</span>
        </li>
      ))}
    </ul>
  );
}

import { useLayoutEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { ExportAnswer } from '@loom/kernel';
import { count } from '../words/amounts.ts';

interface SecretsChoiceProps {
  secrets: ExportAnswer['secrets'];
  onCancel: () => void;
  onKeep: () => void;
  onReplace: () => void;
}

/** The number of secrets that are named. */
const mostNamed = 8;

/** Asks about the keys and passwords in what is about to be saved. None of them is shown whole. */
export function SecretsChoice({ secrets, onCancel, onKeep, onReplace }: SecretsChoiceProps): ReactElement {
  const replace = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => replace.current?.focus(), []);
  const total = secrets.reduce((sum, { count: each }) => sum + each, 0);
  return (
    <div className="dialog-body">
      <h2>{count(total, 'secret')} found</h2>
      <p>What you are about to save holds keys, tokens or passwords. Whoever gets the file can use them.</p>
      <ul className="export-secrets">
        {secrets.slice(0, mostNamed).map(({ kind, masked, count: times }) => (
          <li key={`${kind} ${masked}`}>
            <span className="grow">{kind}</span>
            <span className="mono">{masked}</span>
            {times > 1 && <span className="figures">{`${times} times`}</span>}
          </li>
        ))}
        {secrets.length > mostNamed && <li>{`and ${secrets.length - mostNamed} more`}</li>}
      </ul>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="button" onClick={onKeep}>
          Save as it is
        </button>
        <button ref={replace} type="button" className="button button-primary" onClick={onReplace}>
          Replace by ••••
        </button>
      </div>
    </div>
  );
}

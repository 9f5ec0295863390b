import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Decision } from '../block-host.ts';
import { Denial } from './Denial.tsx';
import type { Deciders } from './deciders.ts';
import { useArmed } from './use-armed.ts';

type ApprovalMode = NonNullable<Decision['mode']>;

interface PlanChoicesProps {
  /** The modes that the conversation may go on in. */
  modes: readonly ApprovalMode[];
  may: Deciders;
  isSending: boolean;
  onStart: (mode: ApprovalMode) => void;
  onDeny: (reason: string) => void;
}

/** The ways to start, the one that a person wants most often first. */
const starts: readonly { readonly mode: ApprovalMode; readonly words: string }[] = [
  { mode: 'edit', words: 'Start and allow edits' },
  { mode: 'ask', words: 'Start, ask before each edit' },
  { mode: 'sandbox', words: 'Start in the sandbox' },
];

/** The ways to decide about a plan: start in one of the offered modes, or say what to change. */
export function PlanChoices({ modes, may, isSending, onStart, onDeny }: PlanChoicesProps): ReactElement {
  const isOff = !useArmed() || isSending || !may.isKnown;
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  if (isDenying) {
    return (
      <Denial
        reason={reason}
        isOff={isOff}
        onChange={setReason}
        onDeny={() => onDeny(reason)}
        onCancel={() => setDenying(false)}
      />
    );
  }
  const offered = starts.filter(({ mode }) => modes.includes(mode));
  return (
    <div className="ask-choices">
      {may.approve ? (
        offered.map(({ mode, words }, index) => (
          <button
            key={mode}
            type="button"
            className={index === 0 ? 'button button-primary' : 'button'}
            aria-disabled={isOff}
            onClick={() => {
              if (!isOff) onStart(mode);
            }}
          >
            {words}
          </button>
        ))
      ) : (
        <span className="aside grow">Only an owner can start this.</span>
      )}
      <span className="grow" />
      {may.deny && (
        <button type="button" className="button button-quiet" onClick={() => setDenying(true)}>
          Keep planning…
        </button>
      )}
    </div>
  );
}

import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useArmed } from './use-armed.ts';

interface ApprovalProps {
  isDangerous: boolean;
  isSending: boolean;
  onAllow: () => void;
  onDeny: (reason: string) => void;
}

/** The ways to decide about a call. */
export function Approval({ isDangerous, isSending, onAllow, onDeny }: ApprovalProps): ReactElement {
  const isArmed = useArmed();
  const [reason, setReason] = useState<string>();
  const isOff = isSending || !isArmed;
  const act = (work: () => void) => () => {
    if (!isOff) work();
  };
  if (reason !== undefined) {
    const submit = (event: FormEvent): void => {
      event.preventDefault();
      act(() => onDeny(reason))();
    };
    return (
      <form className="ask-choices" onSubmit={submit}>
        <input
          className="field grow"
          aria-label="Why not, for the model"
          placeholder="Why not? Optional; the model reads it."
          value={reason}
          autoFocus
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setReason(undefined);
          }}
        />
        <button type="submit" className="button button-danger" aria-disabled={isSending}>
          Deny
        </button>
        <button type="button" className="button button-quiet" onClick={() => setReason(undefined)}>
          Cancel
        </button>
      </form>
    );
  }
  return (
    <div className="ask-choices">
      <button
        type="button"
        className={isDangerous ? 'button' : 'button button-primary'}
        aria-disabled={isOff}
        onClick={act(onAllow)}
      >
        Allow once
      </button>
      <span className="grow" />
      <button type="button" className="button button-quiet" aria-disabled={isOff} onClick={act(() => setReason(''))}>
        Deny…
      </button>
    </div>
  );
}

import type { FormEvent, ReactElement } from 'react';

interface DenialProps {
  reason: string;
  isOff: boolean;
  onChange: (reason: string) => void;
  onDeny: () => void;
  onCancel: () => void;
}

/** Denies a call, with words for the model or without. */
export function Denial({ reason, isOff, onChange, onDeny, onCancel }: DenialProps): ReactElement {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isOff) onDeny();
  };
  return (
    <form className="ask-choices" onSubmit={submit}>
      <input
        className="field grow"
        aria-label="What should it do instead?"
        placeholder="What should it do instead? Optional; the model reads it."
        value={reason}
        autoFocus
        onChange={(event) => onChange(event.target.value)}
      />
      <button type="submit" className="button button-danger" aria-disabled={isOff}>
        Deny
      </button>
      <button type="button" className="button button-quiet" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

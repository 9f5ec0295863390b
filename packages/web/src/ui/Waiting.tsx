import type { ReactElement, ReactNode } from 'react';
import type { Answer } from './use-answer.ts';
import { useLate } from './use-late.ts';

interface WaitingProps<T> {
  answer: Answer<T>;
  children: (value: T) => ReactNode;
}

/** The requested value, once it is there; before, nothing for a moment, then shapes; if it failed, the reason, and a way to ask again. */
export function Waiting<T>({ answer: { value, failure, again }, children }: WaitingProps<T>): ReactElement | null {
  const isLate = useLate(value === undefined && failure === undefined);
  if (failure !== undefined) {
    return (
      <div className="error-note" role="alert">
        <p>{failure}</p>
        <button type="button" className="button" onClick={again}>
          Try again
        </button>
      </div>
    );
  }
  if (value !== undefined) return <>{children(value)}</>;
  return isLate ? (
    <div className="shapes" role="status" aria-label="Loading">
      <div className="shape" />
      <div className="shape" />
      <div className="shape shape-short" />
    </div>
  ) : null;
}

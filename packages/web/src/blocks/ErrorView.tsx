import type { ReactElement } from 'react';
import { useBlockHost } from './block-host.ts';
import { errorWords, waitWords } from './error-words.ts';

interface ErrorViewProps {
  /** The node that ended badly. */
  node: string;
  code: string;
  message: string;
  detail?: unknown;
}

/** An error, advice on what to do now, and the one or two ways to do it. */
export function ErrorView({ node, code, message, detail }: ErrorViewProps): ReactElement {
  const { retry, resume } = useBlockHost();
  const { title, said, advice, canRetry, canResume, isLimit = false } = errorWords(code, message);
  if (code === 'stopped') return <Stopped title={title} advice={advice} onResume={() => resume(node)} />;
  return (
    <section className="error" role="group" aria-label={title}>
      <strong>{title}</strong>
      <p>
        {said !== '' && <span className="error-said">{said}</span>} {waitWords(detail) ?? advice}
      </p>
      <div className="error-choices">
        {canRetry && (
          <button type="button" className="button" onClick={() => retry(node)}>
            Try again
          </button>
        )}
        {canResume && (
          <button type="button" className="button" onClick={() => resume(node, isLimit)}>
            Continue
          </button>
        )}
      </div>
    </section>
  );
}

interface StoppedProps {
  title: string;
  advice: string;
  onResume: () => void;
}

/** A note that a person has stopped the answer: nothing went wrong, and it is no louder than that. */
function Stopped({ title, advice, onResume }: StoppedProps): ReactElement {
  return (
    <section className="stopped" role="group" aria-label={title}>
      <span>
        {title}. {advice}
      </span>{' '}
      <button type="button" className="text-button" onClick={onResume}>
        Continue
      </button>
    </section>
  );
}

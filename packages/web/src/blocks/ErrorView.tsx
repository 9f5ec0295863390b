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

/** What went wrong, what to do now, and the one or two ways to do it. */
export function ErrorView({ node, code, message, detail }: ErrorViewProps): ReactElement {
  const { retry, resume } = useBlockHost();
  const { title, said, advice, canRetry, canResume } = errorWords(code, message);
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
          <button type="button" className="button" onClick={() => resume(node)}>
            Continue
          </button>
        )}
      </div>
    </section>
  );
}

import { useState } from 'react';
import type { ReactElement } from 'react';
import { later } from '../ui/later.tsx';
import { agentErrorWords } from './agent-errors.ts';
import type { AgentErrorWords } from './agent-errors.ts';
import { useBlockHost } from './block-host.ts';
import { errorWords, waitWords } from './error-words.ts';

const OtherFolder = later(async () => (await import('../work/folders/OtherFolder.tsx')).OtherFolder);

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
  const words: AgentErrorWords = agentErrorWords(detail) ?? errorWords(code, message);
  const { title, said, advice, canRetry, canResume, isLimit = false } = words;
  const [isOutputShown, setOutputShown] = useState(false);
  if (code === 'stopped') {
    return <Stopped title={title} advice={advice} onResume={resume === undefined ? undefined : () => resume(node)} />;
  }
  return (
    <section className="error" role="group" aria-label={title}>
      <strong>{title}</strong>
      <p>
        {said !== '' && <span className="error-said">{said}</span>} {waitWords(detail) ?? advice}
      </p>
      <div className="error-choices">
        {words.command !== undefined && <CopyCommand command={words.command} />}
        {words.folder !== undefined && <OtherFolder />}
        {canRetry && retry !== undefined && (
          <button type="button" className="button" onClick={() => retry(node)}>
            {words.retryLabel ?? 'Try again'}
          </button>
        )}
        {canResume && resume !== undefined && (
          <button type="button" className="button" onClick={() => resume(node, isLimit)}>
            {words.resumeLabel ?? 'Continue'}
          </button>
        )}
        {words.output !== undefined && (
          <button
            type="button"
            className="button button-quiet"
            aria-expanded={isOutputShown}
            onClick={() => setOutputShown(!isOutputShown)}
          >
            See its last output
          </button>
        )}
      </div>
      {isOutputShown && <pre className="error-output">{words.output}</pre>}
    </section>
  );
}

/** Copies a command to run in a terminal; it is readable where the browser does not copy. */
function CopyCommand({ command }: { command: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button"
      onClick={() => void navigator.clipboard.writeText(command).then(() => setCopied(true))}
    >
      {isCopied ? `Copied “${command}”` : `Copy “${command}”`}
    </button>
  );
}

interface StoppedProps {
  title: string;
  advice: string;
  onResume: (() => void) | undefined;
}

/** A note that a person has stopped the answer: nothing went wrong, and it is no louder than that. */
function Stopped({ title, advice, onResume }: StoppedProps): ReactElement {
  return (
    <section className="stopped" role="group" aria-label={title}>
      <span>
        {title}. {advice}
      </span>{' '}
      {onResume !== undefined && (
        <button type="button" className="text-button" onClick={onResume}>
          Continue
        </button>
      )}
    </section>
  );
}

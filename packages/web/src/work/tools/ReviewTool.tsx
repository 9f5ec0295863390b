import type { ReactElement } from 'react';
import { Dialog } from '../../ui/floating/Dialog.tsx';
import { useWorkHost } from '../work-host.ts';
import { acceptedWords, claimLines } from './server-words.ts';
import type { ServerTool } from './server-answers.ts';

interface ReviewToolProps {
  tool: ServerTool;
  before: NonNullable<ServerTool['before']>;
  onChange: (work: () => Promise<unknown>) => void;
  onClose: () => void;
}

/** Shows what a server says about a tool now, beside what was accepted; nothing is accepted but what is shown. */
export function ReviewTool({ tool, before, onChange, onClose }: ReviewToolProps): ReactElement {
  const { ask } = useWorkHost();
  const { name, own_name: own, description, parameters } = tool;
  const accept = (): void => {
    onChange(() => ask('tool.review', { name, description, parameters }));
    onClose();
  };
  return (
    <Dialog title={`The description of ${own} changed`} isWide onClose={onClose}>
      <p>Models follow such descriptions. Read what is new as if a stranger had written it.</p>
      <h3 className="review-tool-head">Accepted {acceptedWords(before.at, Date.now())}</h3>
      <pre className="review-tool" tabIndex={0} aria-label="Accepted before">
        {claimLines(before)}
      </pre>
      <h3 className="review-tool-head">Now</h3>
      <pre className="review-tool" tabIndex={0} aria-label="The description now">
        {claimLines(tool)}
      </pre>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose}>
          Keep it off
        </button>
        <button type="button" className="button button-primary" onClick={accept}>
          Use it as it is now
        </button>
      </div>
    </Dialog>
  );
}

import { useState } from 'react';
import type { ReactElement } from 'react';
import type { CommandBlock } from '@loom/blocks';
import { Question } from '../ui/floating/Question.tsx';
import { Output } from './Output.tsx';
import { blobOf, presentText } from './output-lines.ts';

interface CommandProps {
  id: string;
  block: CommandBlock;
  isGrowing?: boolean;
  onRunAgain?: (() => void) | undefined;
}

/** A command line and what it printed; what went to the error stream is red. */
export function Command({ id, block, isGrowing = false, onRunAgain }: CommandProps): ReactElement {
  const parts = [
    { text: presentText(block.stdout), isError: false },
    { text: presentText(block.stderr), isError: true },
  ].filter(({ text }) => text !== '');
  const blobs = [blobOf(block.stdout), blobOf(block.stderr)].filter((blob) => blob !== undefined);
  return (
    <Output
      id={id}
      parts={parts}
      command={block.command}
      blobs={blobs}
      isGrowing={isGrowing || block.status === 'running'}
      label={`Output of ${block.command}`}
      {...(onRunAgain === undefined ? {} : { actions: <RunAgain command={block.command} onRun={onRunAgain} /> })}
    />
  );
}

/** Asks before it runs anything. */
function RunAgain({ command, onRun }: { command: string; onRun: () => void }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="text-button" onClick={() => setAsking(true)}>
        Run again…
      </button>
      {isAsking && (
        <Question title="Run this command again?" action="Run" onAnswer={onRun} onClose={() => setAsking(false)}>
          <pre className="ask-command">{command}</pre>
          <p>The result is added to the end of this branch.</p>
        </Question>
      )}
    </>
  );
}

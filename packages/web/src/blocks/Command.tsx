import { useState } from 'react';
import type { ReactElement } from 'react';
import type { CommandBlock } from '@loom/blocks';
import { Question } from '../ui/floating/Question.tsx';
import { LongOutputView } from './output/LongOutputView.tsx';
import { Output } from './Output.tsx';

interface CommandProps {
  id: string;
  block: CommandBlock;
  isGrowing?: boolean;
  again?: AgainOffer | undefined;
}

/** The offer to run a command again. */
export interface AgainOffer {
  readonly run: () => void;
  /** Says where it runs, and where its result will stand. */
  readonly note: string;
}

/** A command line and its output; the error stream is red. */
export function Command({ id, block, isGrowing = false, again }: CommandProps): ReactElement {
  const { command, stdout, stderr } = block;
  const growing = isGrowing || block.status === 'running';
  const actions = again === undefined ? {} : { actions: <RunAgain command={command} {...again} /> };
  const label = `Output of ${command}`;
  if (typeof stdout !== 'object' && typeof stderr !== 'object') {
    const parts = [
      { text: stdout ?? '', isError: false },
      { text: stderr ?? '', isError: true },
    ].filter(({ text }) => text !== '');
    return <Output id={id} parts={parts} command={command} isGrowing={growing} label={label} {...actions} />;
  }
  // Only one of them has the line above it.
  const isFirst = stdout !== undefined && stdout !== '';
  const fields = [
    { key: id, output: stdout ?? '', isError: false, line: isFirst ? command : undefined },
    { key: `${id} stderr`, output: stderr ?? '', isError: true, line: isFirst ? undefined : command },
  ];
  return (
    <>
      {fields.map(({ key, output, isError, line }) => {
        if (output === '') return null;
        const shared = { id: key, isGrowing: growing, label: isError ? `Errors of ${command}` : label };
        return typeof output === 'object' ? (
          <LongOutputView key={key} {...shared} output={output} command={line} isError={isError} />
        ) : (
          <Output
            key={key}
            {...shared}
            parts={[{ text: output, isError }]}
            {...(line === undefined ? {} : { command: line })}
          />
        );
      })}
      {again !== undefined && (
        <div className="tool-foot">
          <span className="grow" />
          {actions.actions}
        </div>
      )}
    </>
  );
}

/** Asks before it runs anything. */
function RunAgain({ command, run, note }: AgainOffer & { command: string }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="text-button" onClick={() => setAsking(true)}>
        Run again…
      </button>
      {isAsking && (
        <Question title="Run this command again?" action="Run" onAnswer={run} onClose={() => setAsking(false)}>
          <pre className="ask-command">{command}</pre>
          <p>{note}</p>
        </Question>
      )}
    </>
  );
}

import type { ReactElement, ReactNode } from 'react';
import { grouped } from '../words/amounts.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { shownOutput } from './output-lines.ts';
import type { OutputPart } from './output-lines.ts';
import { useFold } from './folding/use-fold.ts';

interface OutputProps {
  /** The key under which its folding is remembered. */
  id: string;
  parts: readonly OutputPart[];
  /** The line that it was printed for. */
  command?: string;
  isGrowing?: boolean;
  /** True for words instead of the output of a program: their lines are broken. */
  isProse?: boolean;
  label?: string;
  /** Further actions, beside copying. */
  actions?: ReactNode;
}

/** The output of a program or a tool: its first lines, and all of it on demand. */
export function Output(props: OutputProps): ReactElement {
  const { id, parts, command, isGrowing = false, isProse = false, label = 'Output', actions } = props;
  const [showsAll, toggle] = useFold(`${id} lines`);
  const shown = shownOutput(parts, showsAll);
  const text = parts.map((part) => part.text).join('\n');
  const copied = text === '' ? (command ?? '') : text;
  const canFold = shown.isCut || showsAll;
  const hasFoot = canFold || actions !== undefined;
  return (
    <div className="tool-body">
      <pre
        className={`output scroll${isProse ? ' output-prose' : ''}${shown.lines > 400 && !shown.isCut ? ' output-tall' : ''}`}
        tabIndex={0}
        aria-label={label}
      >
        {command !== undefined && (
          <>
            <span className="output-prompt">$ </span>
            {command}
            {(shown.parts.length > 0 || isGrowing) && '\n'}
          </>
        )}
        {shown.parts.map((part, index) => (
          <span key={index} className={part.isError ? 'output-error' : undefined}>
            {part.text}
            {index < shown.parts.length - 1 && '\n'}
          </span>
        ))}
        {isGrowing && <span className="caret" />}
      </pre>
      {hasFoot ? (
        <div className="tool-foot">
          {canFold && (
            <button type="button" className="text-button" onClick={toggle}>
              {shown.isCut ? `Show all ${grouped(shown.lines)} lines` : 'Show the first lines'}
            </button>
          )}
          <span className="grow" />
          {actions}
          <CopyText text={copied} />
        </div>
      ) : (
        <span className="output-copy">
          <CopyButton text={copied} />
        </span>
      )}
    </div>
  );
}

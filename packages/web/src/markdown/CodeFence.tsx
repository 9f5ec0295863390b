import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import type { HighlightedLine } from './highlight.ts';
import { whenBack } from '../ui/when-back.ts';

interface CodeFenceProps {
  code: string;
  language: string;
  /** Until its end has come, code is shown plain. */
  isClosed: boolean;
}

/** A fence of code, with what it is written in and a button that copies it. */
export function CodeFence({ code, language, isClosed }: CodeFenceProps): ReactElement {
  const lines = useHighlighted(code, language, isClosed);
  return (
    <div className="fence">
      <div className="fence-head">
        <span className="grow">{language === '' ? 'Code' : language}</span>
        <CopyButton text={code} />
      </div>
      <pre className="scroll" tabIndex={0} aria-label={`Code, ${language === '' ? 'plain' : language}`}>
        <code>{lines === undefined ? code : <HighlightedCode lines={lines} />}</code>
      </pre>
    </div>
  );
}

function HighlightedCode({ lines }: { lines: readonly HighlightedLine[] }): ReactElement {
  return (
    <>
      {lines.map((line, index) => (
        <span key={index}>
          <HighlightedLineView line={line} />
          {index < lines.length - 1 && '\n'}
        </span>
      ))}
    </>
  );
}

export function HighlightedLineView({ line }: { line: HighlightedLine }): ReactElement {
  return (
    <>
      {line.map(({ text, kind }, at) => (
        <span key={at} className={kind === '' ? undefined : kind}>
          {text}
        </span>
      ))}
    </>
  );
}

/** The code in colours, once the highlighter has come; it is loaded when the first finished code is seen. */
export function useHighlighted(
  code: string,
  language: string,
  isWanted: boolean,
): readonly HighlightedLine[] | undefined {
  const [lines, setLines] = useState<readonly HighlightedLine[]>();
  useEffect(() => {
    if (!isWanted || language === '' || code.length > longestHighlighted) return undefined;
    let isHere = true;
    let stopWaiting = (): void => {};
    const colour = (): void =>
      void import('./highlight.ts')
        .then(({ highlight }) => highlight(code, language))
        .then(
          (found) => isHere && setLines(found),
          // It stays plain until the server is back.
          () => {
            if (isHere) stopWaiting = whenBack(colour);
          },
        );
    colour();
    return () => {
      isHere = false;
      stopWaiting();
    };
  }, [code, language, isWanted]);
  return isWanted ? lines : undefined;
}

/** Longer code is shown plain: to colour it would stop the page for too long. */
const longestHighlighted = 100_000;

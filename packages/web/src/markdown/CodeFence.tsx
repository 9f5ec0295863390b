import { useEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { later } from '../ui/later.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { useSeen } from '../ui/use-seen.ts';
import type { HighlightedLine } from './highlight.ts';
import { lazily } from '../ui/lazily.ts';
import { whenBack } from '../ui/when-back.ts';

interface CodeFenceProps {
  code: string;
  language: string;
  /** True once the code has ended; until then it is shown plain. */
  isClosed: boolean;
  /** More that can be done with it. */
  children?: ReactNode;
}

const SaveCode = later(async () => (await import('./SaveCode.tsx')).SaveCode);

/** A fence of code with its language. It is copied, saved as a file, and wrapped on demand. */
export function CodeFence({ code, language, isClosed, children }: CodeFenceProps): ReactElement {
  const [isWrapped, setWrapped] = useState(false);
  return (
    <div className="fence">
      <div className="fence-head">
        <span className="grow cut">{language === '' ? 'Code' : language}</span>
        {children}
        <IconButton
          icon="wrap"
          label="Wrap long lines"
          isSmall
          isPressed={isWrapped}
          onClick={() => setWrapped(!isWrapped)}
        />
        {isClosed && <SaveCode code={code} language={language} />}
        <CopyButton text={code} />
      </div>
      <pre
        className={isWrapped ? 'scroll wrapped' : 'scroll'}
        tabIndex={0}
        aria-label={`Code, ${language === '' ? 'plain' : language}`}
      >
        {isClosed && language !== '' ? <ClosedCode code={code} language={language} /> : <code>{code}</code>}
      </pre>
    </div>
  );
}

/** Code that is complete. `useSeen` puts off its colors: a long answer holds more code than its reader scrolls to. */
function ClosedCode({ code, language }: { code: string; language: string }): ReactElement {
  const element = useRef<HTMLElement>(null);
  const lines = useHighlighted(code, language, useSeen(element));
  return <code ref={element}>{lines === undefined ? code : <HighlightedCode lines={lines} />}</code>;
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

const loadHighlighter = lazily(() => import('./highlight.ts'));

/** Returns the code in colors, once the highlighter has come; it is loaded when the first finished code is seen. */
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
      void loadHighlighter()
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

/** The longest code that is highlighted, in characters: longer code would be drawn as more elements than a page can bear. */
const longestHighlighted = 100_000;

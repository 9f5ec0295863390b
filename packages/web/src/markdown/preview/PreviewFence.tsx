import { useState } from 'react';
import type { ReactElement } from 'react';
import { Segments } from '../../ui/Segments.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { CodeFence } from '../CodeFence.tsx';
import { Diagram } from './Diagram.tsx';
import { PageFrame } from './PageFrame.tsx';
import { Drawing } from './Drawing.tsx';

interface PreviewFenceProps {
  code: string;
  language: string;
}

/** A diagram, a drawing or a page with its source. A page is shown only once its reader asks for it. */
export function PreviewFence({ code, language }: PreviewFenceProps): ReactElement {
  const isPage = language === 'html';
  const [shown, setShown] = useState<'picture' | 'source'>(isPage ? 'source' : 'picture');
  const [trouble, setTrouble] = useState<string>();
  const choice = (
    <Segments
      label="Shown as"
      choices={[
        { value: 'picture', label: isPage ? 'Preview' : 'Picture' },
        { value: 'source', label: 'Source' },
      ]}
      chosen={shown}
      onChoose={setShown}
    />
  );
  if (trouble !== undefined || shown === 'source') {
    return (
      <CodeFence code={code} language={language} isClosed>
        {trouble === undefined ? (
          choice
        ) : (
          <span className="preview-trouble cut" title={trouble}>
            {trouble}
          </span>
        )}
      </CodeFence>
    );
  }
  return (
    <div className="fence preview">
      <div className="fence-head">
        <span className="grow cut">{isPage ? 'Page preview' : language === 'svg' ? 'Drawing' : 'Diagram'}</span>
        {isPage && <span className="preview-note cut">runs apart from Loom, no scripts, no network</span>}
        {choice}
        <CopyButton text={code} />
      </div>
      {isPage ? (
        <PageFrame code={code} />
      ) : language === 'svg' ? (
        <Drawing svg={code} label="Drawing" isOnPaper onTrouble={setTrouble} />
      ) : (
        <Diagram source={code} onTrouble={setTrouble} />
      )}
    </div>
  );
}

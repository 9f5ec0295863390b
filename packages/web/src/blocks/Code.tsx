import type { ReactElement } from 'react';
import type { CodeBlock } from '@loom/blocks';
import { languageOfPath } from '@loom/blocks/views';
import { HighlightedLineView, useHighlighted } from '../markdown/CodeFence.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { lineRange } from './line-range.ts';
import { useFold } from './folding/use-fold.ts';
import { FilePath } from './paths/FilePath.tsx';
import { OpenInEditor } from './paths/OpenInEditor.tsx';
import { grouped } from '../words/amounts.ts';

/** The number of lines shown; more are folded away until they are wanted. */
const mostLines = 40;

/** A piece of a file, with the numbers of its lines. */
export function Code({ id, block }: { id: string; block: CodeBlock }): ReactElement {
  const { content, filename, start_line: start = 1 } = block;
  const [showsAll, toggle] = useFold(`${id} lines`);
  const language = block.language ?? (filename === undefined ? undefined : languageOfPath(filename)) ?? '';
  const lines = content.replace(/\n$/u, '').split('\n');
  const shown = showsAll ? lines : lines.slice(0, mostLines);
  const coloured = useHighlighted(shown.join('\n'), language, block.status !== 'running');
  return (
    <div className="tool-body">
      <div className="tool-head">
        {filename === undefined ? (
          <span className="mono grow cut">{language === '' ? 'Code' : language}</span>
        ) : (
          <span className="path-line">
            <FilePath path={filename} />
          </span>
        )}
        <span className="figures">{lineRange(block, lines.length)}</span>
        {filename !== undefined && <OpenInEditor path={filename} line={start} />}
        <CopyButton text={content} />
      </div>
      <div className="code-lines scroll" tabIndex={0} aria-label={filename ?? 'Code'}>
        {shown.map((line, index) => (
          <div key={index} className="code-line">
            <span className="code-number">{start + index}</span>
            <span className="code-text">
              {coloured?.[index] === undefined ? line : <HighlightedLineView line={coloured[index]} />}
            </span>
          </div>
        ))}
      </div>
      {lines.length > mostLines && (
        <div className="tool-foot">
          <button type="button" className="text-button" onClick={toggle}>
            {showsAll ? 'Show the first lines' : `Show all ${grouped(lines.length)} lines`}
          </button>
        </div>
      )}
    </div>
  );
}

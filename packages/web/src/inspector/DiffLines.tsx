import type { ReactElement } from 'react';
import { CodeText } from './CodeText.tsx';

/** A unified diff, line by line. */
export function DiffLines({ diff }: { diff: string }): ReactElement {
  const lines = diff.replace(/\n$/u, '').split('\n');
  if (diff === '') return <p className="inspector-empty">Nothing differs.</p>;
  return (
    <CodeText label="Difference">
      {lines.map((line, index) => (
        <span key={index} className={lineName(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </CodeText>
  );
}

function lineName(line: string): string {
  if (line.startsWith('@@') || line.startsWith('---') || line.startsWith('+++')) return 'diff-line diff-line-head';
  if (line.startsWith('+')) return 'diff-line diff-line-added';
  return line.startsWith('-') ? 'diff-line diff-line-deleted' : 'diff-line';
}

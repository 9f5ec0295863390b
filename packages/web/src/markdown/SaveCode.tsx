import type { ReactElement } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { saveBlob } from '../ui/save-blob.ts';

/** Saves code as a file whose name ends as its language is written. */
export function SaveCode({ code, language }: { code: string; language: string }): ReactElement {
  return (
    <IconButton
      icon="download"
      label="Save as a file"
      isSmall
      onClick={() => saveBlob(new Blob([code], { type: 'text/plain' }), `code.${endingOf(language.toLowerCase())}`)}
    />
  );
}

function endingOf(language: string): string {
  if (Object.hasOwn(endings, language)) return endings[language] ?? 'txt';
  // Most short names of languages are their endings as well.
  return /^[a-z\d]{1,6}$/u.test(language) ? language : 'txt';
}

const endings: Readonly<Record<string, string>> = {
  bash: 'sh',
  csharp: 'cs',
  'c++': 'cpp',
  haskell: 'hs',
  javascript: 'js',
  kotlin: 'kt',
  markdown: 'md',
  mermaid: 'mmd',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  text: 'txt',
  typescript: 'ts',
  yaml: 'yml',
};

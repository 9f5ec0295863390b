import type { ReactElement } from 'react';
import { laterValue } from '../ui/later.tsx';
import { CodeFence } from './CodeFence.tsx';

const loaded = laterValue(async () => (await import('./preview/PreviewFence.tsx')).PreviewFence, { isExpected: false });

interface PreviewProps {
  code: string;
  language: string;
}

/** A finished fence that can be seen as a picture or a page; its source until what shows it is there. */
export function Preview({ code, language }: PreviewProps): ReactElement {
  const PreviewFence = loaded.use();
  const Shown = PreviewFence ?? CodeFence;
  return <Shown code={code} language={language} isClosed />;
}

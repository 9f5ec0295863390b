import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

/** Copies a text, as a word in a row of words; says for a moment that it did. */
export function CopyText({ text }: { text: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className="text-button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}

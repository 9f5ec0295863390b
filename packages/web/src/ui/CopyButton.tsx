import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { IconButton } from './IconButton.tsx';

/** Copies a text, and says for a moment that it did. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      isSmall
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    />
  );
}

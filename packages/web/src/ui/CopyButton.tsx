import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { IconName } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';

interface CopyProps {
  text: string;
  label?: string;
  icon?: IconName;
}

/** Copies a text, and says for a moment that it did. */
export function CopyButton({ text, label = 'Copy', icon = 'copy' }: CopyProps): ReactElement {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      icon={isCopied ? 'check' : icon}
      label={isCopied ? 'Copied' : label}
      isSmall
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    />
  );
}

import { useEffect, useState } from 'react';
import { useBlockHost } from '../block-host.ts';

/** Returns the home folder on the server, once it is known. */
export function useHome(): string | undefined {
  const { home } = useBlockHost();
  const [known, setKnown] = useState<string>();
  useEffect(() => {
    let isShown = true;
    const note = (found: string | undefined): void => {
      if (isShown) setKnown(found);
    };
    home().then(note, () => {});
    return () => {
      isShown = false;
    };
  }, [home]);
  return known;
}

import { useEffect, useState } from 'react';
import { useBlockHost } from '../block-host.ts';

/** The decisions open to the reader. */
export interface Deciders {
  readonly isKnown: boolean;
  readonly approve: boolean;
  readonly deny: boolean;
  readonly answer: boolean;
}

/** The reader's rights over calls that wait. As long as they are not known, the buttons are there and do nothing. */
export function useDeciders(): Deciders {
  const { role } = useBlockHost();
  const [known, setKnown] = useState<string>();
  useEffect(() => {
    let isShown = true;
    // If the role cannot be found out, the server decides what the reader may do.
    const note = (found: string): void => {
      if (isShown) setKnown(found);
    };
    role().then(note, () => note('owner'));
    return () => {
      isShown = false;
    };
  }, [role]);
  const mayWrite = known === undefined || known === 'owner' || known === 'writer';
  return {
    isKnown: known !== undefined,
    approve: known === undefined || known === 'owner',
    deny: mayWrite,
    answer: mayWrite,
  };
}

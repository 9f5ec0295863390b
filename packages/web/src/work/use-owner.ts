import { useEffect, useState } from 'react';
import { useWorkHost } from './work-host.ts';

/** Returns true if the reader is an owner; `undefined` until that is known. */
export function useOwner(): boolean | undefined {
  const { role } = useWorkHost();
  const [isOwner, setOwner] = useState<boolean>();
  useEffect(() => {
    let isShown = true;
    const note = (is: boolean): void => {
      if (isShown) setOwner(is);
    };
    // If the role cannot be found out, the server decides what the reader may do.
    role().then(
      (found) => note(found === 'owner'),
      () => note(true),
    );
    return () => {
      isShown = false;
    };
  }, [role]);
  return isOwner;
}

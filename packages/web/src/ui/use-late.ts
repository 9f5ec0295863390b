import { useEffect, useState } from 'react';

/** Returns true if something is still so after a moment: shorter waits need no sign. */
export function useLate(isSo: boolean, milliseconds = 150): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isSo) {
      setDue(false);
      return undefined;
    }
    const timer = setTimeout(() => setDue(true), milliseconds);
    return () => clearTimeout(timer);
  }, [isSo, milliseconds]);
  return isSo && isDue;
}

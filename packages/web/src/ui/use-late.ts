import { useEffect, useState } from 'react';

/** Whether something is still so after a moment: what takes less long needs no sign that it is being waited for. */
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

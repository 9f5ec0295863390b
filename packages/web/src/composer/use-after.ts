import { useEffect, useState } from 'react';

/** Whether something has been so for a while. */
export function useAfter(isSo: boolean, milliseconds: number): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isSo) return undefined;
    const timer = setTimeout(() => setDue(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setDue(false);
    };
  }, [isSo, milliseconds]);
  return isSo && isDue;
}

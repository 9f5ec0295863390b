import { useEffect, useState } from 'react';
import { useWorkHost } from './work-host.ts';

/** Returns true if the server has an operation and the reader may use it; `undefined` until that is known. */
export function useMay(operation: string): boolean | undefined {
  const { operations } = useWorkHost();
  const [known, setKnown] = useState<ReadonlySet<string>>();
  useEffect(() => {
    let isShown = true;
    const note = (found: ReadonlySet<string>): void => {
      if (isShown) setKnown(found);
    };
    // A server that does not answer offers nothing; what is drawn next asks again.
    operations().then(note, () => {});
    return () => {
      isShown = false;
    };
  }, [operations]);
  return known?.has(operation);
}

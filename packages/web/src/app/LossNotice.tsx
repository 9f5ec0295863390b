import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from './loom-context.ts';
import { Icon } from '../ui/Icon.tsx';

/** Says that logs have lost acknowledged changes, until the reader has noted it. */
export function LossNotice(): ReactElement | null {
  const loom = useLoom();
  const [count, setCount] = useState(0);
  useEffect(() => {
    const look = async (): Promise<void> => setCount((await loom.ask('root.list', { limit: 1 })).lost?.length ?? 0);
    // A page without its server says so itself.
    look().catch(() => {});
  }, [loom]);
  if (count === 0) return null;
  const acknowledge = (): void =>
    loom.attempt(async () => {
      await loom.ask('data.acknowledge_losses', {});
      setCount(0);
    });
  return (
    <div className="failure" role="alert">
      <Icon name="warning" small />
      <span>
        {count === 1 ? 'A log has' : `${count} logs have`} lost changes that had been saved. The command loom doctor
        says which, and what to do.
      </span>
      <button type="button" className="button" onClick={acknowledge}>
        I know
      </button>
    </div>
  );
}

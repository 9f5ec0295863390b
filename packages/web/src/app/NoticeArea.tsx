import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { LossNotice } from './LossNotice.tsx';
import { useLoom } from './loom-context.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useStore } from '../stores/use-store.ts';
import type { Notice } from './notices.ts';

/** The notices of the page: failures stay until they are closed, everything else disappears after a while. */
export function NoticeArea(): ReactElement {
  const { notices } = useLoom();
  const toast = useStore(notices.toast);
  const failure = useStore(notices.failure);
  const spoken = useStore(notices.spoken);
  return (
    <>
      <div className="notices">
        <LossNotice />
        {failure !== undefined && (
          <div className="failure" role="alert">
            <span>{failure}</span>
            <IconButton icon="close" label="Close" isSmall onClick={() => notices.failure.set(undefined)} />
          </div>
        )}
        {toast !== undefined && <Toast key={toast.id} notice={toast} onEnd={() => notices.toast.set(undefined)} />}
      </div>
      <div className="unseen" role="status" aria-live="polite">
        {spoken}
      </div>
    </>
  );
}

function Toast({ notice, onEnd }: { notice: Notice; onEnd: () => void }): ReactElement {
  const [isHeld, setHeld] = useState(false);
  const { text, action } = notice;
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(onEnd, action === undefined ? 6000 : 10_000);
    return () => clearTimeout(timer);
  }, [isHeld, onEnd, action]);
  return (
    <div
      className="toast"
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{text}</span>
      {action !== undefined && (
        <button
          type="button"
          className="button"
          onClick={() => {
            action.run();
            onEnd();
          }}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}

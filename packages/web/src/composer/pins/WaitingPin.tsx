import { useState } from 'react';
import type { ReactElement } from 'react';
import type { WaitingView } from '@loom/sync';
import { useLoom } from '../../app/loom-context.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { waitingWords } from './queue-words.ts';
import { sendNow, sendSooner, takeBack, withdraw } from './waiting.ts';

interface WaitingProps {
  root: string;
  message: WaitingView;
  /** The one that is queued right before it. */
  before: string | undefined;
}

/** A message that waits for the model: it can be edited, sent at once, moved up or withdrawn. */
export function WaitingPin({ root, message, before }: WaitingProps): ReactElement {
  const loom = useLoom();
  const [isBusy, setBusy] = useState(false);
  const act = (work: typeof withdraw): void => {
    setBusy(true);
    loom.attempt(() => work(loom, root, message).finally(() => setBusy(false)));
  };
  return (
    <div className="pin">
      <Icon name="clock" />
      <button type="button" className="pin-text cut" title="Edit" disabled={isBusy} onClick={() => act(takeBack)}>
        {waitingWords(message.kind, message.blocks)}
      </button>
      {before !== undefined && (
        <IconButton
          icon="up"
          label="Send it before the one above"
          isSmall
          isOff={isBusy}
          onClick={() => act((...told) => sendSooner(...told, before))}
        />
      )}
      {message.kind === 'queue' && (
        <button type="button" className="text-button" disabled={isBusy} onClick={() => act(sendNow)}>
          Send now
        </button>
      )}
      <IconButton icon="close" label="Remove from the queue" isSmall isOff={isBusy} onClick={() => act(withdraw)} />
    </div>
  );
}

import type { ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { useLate } from '../../ui/use-late.ts';
import { Icon } from '../../ui/Icon.tsx';
import { count } from '../../words/amounts.ts';

const spoken = ['node.append', 'turn.steer', 'turn.queue'];

/** Says that the server is away and that messages are kept until it answers. */
export function KeptPin(): ReactElement | null {
  const view = useStore(useLoom().kept);
  const kept =
    view?.entries.filter(({ operation, state }) => spoken.includes(operation) && state !== 'refused').length ?? 0;
  const isAway = useLate(view?.status === 'away' && kept > 0, 1000);
  if (!isAway || view === undefined) return null;
  return (
    <div className="pin" role="status">
      <Icon name="clock" />
      <span className="grow">
        {view.isSafe
          ? `The server does not answer. ${count(kept, 'message')} ${kept === 1 ? 'is' : 'are'} kept on this computer and will be sent.`
          : 'The server does not answer, and this browser keeps nothing. Leave the page open until it does.'}
      </span>
    </div>
  );
}

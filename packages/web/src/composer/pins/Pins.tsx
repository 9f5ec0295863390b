import type { ReactElement, ReactNode } from 'react';
import type { TurnView, WaitingView } from '@loom/sync';
import { useLoom } from '../../app/loom-context.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { Store } from '../../stores/store.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { later } from '../../ui/later.tsx';
import { KeptPin } from './KeptPin.tsx';

const noPath = new Store<readonly string[]>([]);
const BackgroundPin = later(async () => (await import('../../work/processes/BackgroundPin.tsx')).BackgroundPin);
const WaitingPin = later(async () => (await import('./WaitingPin.tsx')).WaitingPin);
const PlanPin = later(async () => (await import('./PlanPin.tsx')).PlanPin);

/** The pins above the field: the message being rewritten, the plan of the turn, commands in the background, changed files, and the waiting messages. */
export function Pins({ turn, changes }: { turn: TurnView | undefined; changes?: ReactNode }): ReactElement {
  const { conversation: open } = useLoom();
  const conversation = useStore(open);
  const tip = useStore(conversation?.path ?? noPath).at(-1);
  return (
    <div className="pins">
      <RewritingPin />
      <KeptPin />
      {conversation !== undefined && turn !== undefined && <PlanPin conversation={conversation} turn={turn} />}
      {conversation !== undefined && (
        <BackgroundPin root={conversation.root} version={`${turn?.turn ?? ''} ${tip ?? ''}`} />
      )}
      {turn !== undefined && changes}
      {conversation !== undefined && <Waiting conversation={conversation} />}
    </div>
  );
}

function RewritingPin(): ReactElement | null {
  const { composer } = useLoom();
  if (useStore(composer.rewritten) === undefined) return null;
  return (
    <div className="pin">
      <Icon name="fork" />
      <span className="grow cut">Your last message again: it begins a new branch, the old one stays</span>
      <IconButton icon="close" label="Leave it as it is" isSmall onClick={composer.leaveRewriting} />
    </div>
  );
}

function Waiting({ conversation }: { conversation: OpenConversation }): ReactElement {
  const { root } = useStore(conversation.watch.whole);
  return (
    <>
      {root.waiting.map((message) => (
        <WaitingPin
          key={message.id}
          root={conversation.root}
          message={message}
          before={
            root.waiting.findLast((other, at, all) => isQueuedWith(other, message) && at < all.indexOf(message))?.id
          }
        />
      ))}
    </>
  );
}

function isQueuedWith(one: WaitingView, other: WaitingView): boolean {
  return one.kind === 'queue' && other.kind === 'queue' && one.turn === other.turn;
}

import type { ReactElement } from 'react';
import { z } from 'zod';
import { useLoom } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { useLate } from '../../ui/use-late.ts';
import { Icon } from '../../ui/Icon.tsx';
import { count } from '../../words/amounts.ts';
import { lineOf } from './queue-words.ts';

const spoken = ['node.append', 'turn.steer', 'turn.queue'];

/** An answer within this time needs no sign that a message is on its way, in milliseconds. */
const shortWhile = 300;

/** Shows the messages that the server does not have yet, and says if it is away: they are kept until it answers. */
export function KeptPin(): ReactElement | null {
  const view = useStore(useLoom().kept);
  const kept = view?.entries.filter(({ operation, state }) => spoken.includes(operation) && state !== 'refused') ?? [];
  const isLate = useLate(kept.length > 0, shortWhile);
  const isAway = useLate(view?.status === 'away' && kept.length > 0, 1000);
  if (!isLate || view === undefined) return null;
  return (
    <>
      {kept.map(({ id, params }) => (
        <div className="pin" key={id}>
          <Icon name="clock" />
          <span className="grow cut">Waiting to be sent: {wordsOf(params)}</span>
        </div>
      ))}
      {isAway && (
        <div className="pin" role="status">
          <Icon name="warning" />
          <span className="grow">
            {view.isSafe
              ? `The server does not answer. ${count(kept.length, 'message')} ${kept.length === 1 ? 'is' : 'are'} kept on this computer and will be sent.`
              : 'The server does not answer, and this browser keeps nothing. Leave the page open until it does.'}
          </span>
        </div>
      )}
    </>
  );
}

const part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), media_type: z.string() }),
]);
const said = z.object({ content: z.array(part) });
const message = z.union([z.object({ messages: z.tuple([said]) }), said]);

function wordsOf(params: unknown): string {
  const { data } = message.safeParse(params);
  if (data === undefined) return 'a message';
  return lineOf('messages' in data ? data.messages[0].content : data.content);
}

import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { Dialog } from '../ui/floating/Dialog.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { shortTime } from '../words/times.ts';
import { restoreConversation } from './conversation-actions.ts';
import { nameOf } from './navigator-rows.ts';

/** The deleted conversations; each can be brought back. */
export function DeletedConversations({ onClose }: { onClose: () => void }): ReactElement {
  const loom = useLoom();
  const { attempt, go, isNavigatorOpen } = loom;
  const read = useCallback(() => loom.ask('root.list', { deleted: true, limit: 200 }), [loom]);
  const answer = useAnswer(read);
  const restore = (id: string): void =>
    attempt(async () => {
      await restoreConversation(loom, { id });
      onClose();
      isNavigatorOpen.set(false);
      go({ name: 'conversation', root: id });
    });
  return (
    <Dialog title="Deleted conversations" onClose={onClose}>
      <Waiting answer={answer}>
        {({ items }) =>
          items.length === 0 ? (
            <p>Nothing is deleted. What you delete can be brought back from here.</p>
          ) : (
            <ul className="plain-rows">
              {items.map((item) => (
                <li key={item.id}>
                  <span className="cut grow">{nameOf(item)}</span>
                  <time dateTime={item.updated}>{shortTime(Date.parse(item.updated), Date.now())}</time>
                  <button type="button" className="button" onClick={() => restore(item.id)}>
                    Restore
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Waiting>
      <div className="dialog-buttons">
        <button type="button" className="button" data-safe onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

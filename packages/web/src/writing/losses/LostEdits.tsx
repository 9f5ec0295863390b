import type { ReactElement } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useStore } from '../../stores/use-store.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { piecesOfChange } from '../../words/pieces-of-change.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { ChangedText } from '../history/ChangedText.tsx';
import { editOpened } from '../open-text.ts';
import { lossesOf, mergedBack } from './losses.ts';
import type { Loss } from './losses.ts';

/** The edits of this reader that could not be made, each with both texts, until the reader has decided. */
export function LostEdits({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const { agent } = useWorkHost();
  const losses = useStore(lossesOf(conversation, agent));
  if (losses.length === 0) return null;
  return (
    <div className="losses scroll" tabIndex={0} role="region" aria-label="Edits that could not be made">
      {losses.map((loss, index) => (
        <LostEdit key={`${loss.block} ${index}`} conversation={conversation} loss={loss} />
      ))}
    </div>
  );
}

function LostEdit({ conversation, loss }: { conversation: OpenConversation; loss: Loss }): ReactElement {
  const { agent, attempt, call, tell } = useWorkHost();
  const { block, base, text, why } = loss;
  const isThere = useStore(conversation.watch.block(block)) !== undefined;
  const now = useStore(conversation.watch.text(block));
  const done = (): void => lossesOf(conversation, agent).update((all) => all.filter((one) => one !== loss));
  const putBack = async (): Promise<void> => {
    await editOpened(conversation, { agent, block }, (current) => mergedBack(loss, current));
    done();
  };
  const keep = async (): Promise<void> => {
    await call('draft.create', { root: conversation.root, title: 'An edit that could not be made', text });
    done();
    tell('It is a draft of this conversation now.');
  };
  return (
    <section className="loss" role="alert">
      <Icon name="warning" />
      <div className="loss-texts">
        <p>
          <strong>Your edit couldn’t be applied.</strong> {why} Both texts are here.
        </p>
        <dl>
          <dt>Now</dt>
          <dd>{isThere ? <span className="loss-text">{now ?? ''}</span> : <em>deleted</em>}</dd>
          <dt>Yours</dt>
          <dd>
            <ChangedText pieces={piecesOfChange(base, text)} />
          </dd>
        </dl>
        <p className="loss-choices">
          {isThere && (
            <button type="button" className="button" onClick={() => attempt(putBack)}>
              Put mine back
            </button>
          )}
          <button type="button" className="button" onClick={() => attempt(keep)}>
            Keep mine as a draft
          </button>
          <CopyText text={text} />
          <button type="button" className="text-button" onClick={done}>
            Discard mine
          </button>
        </p>
      </div>
    </section>
  );
}

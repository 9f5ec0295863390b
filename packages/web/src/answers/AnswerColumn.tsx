import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { bookmark, copyMessage, remove } from '../conversation/actions.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { answerFacts } from './answer-facts.ts';
import { MessageBlocks } from './MessageBlocks.tsx';
import { continueWith, stopAnswers } from './answering.ts';

interface AnswerColumnProps {
  id: string;
  /** The turn that writes it. */
  turn: string | undefined;
  at: number;
  of: number;
  isChosen: boolean;
  onChoose: () => void;
}

/** One of several answers. */
export function AnswerColumn({ id, turn, at, of, isChosen, onChoose }: AnswerColumnProps): ReactElement {
  const { watch } = useConversation();
  const node = useStore(watch.node(id));
  const column = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isChosen) column.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [isChosen]);
  const { name, facts, state } = answerFacts(node, turn !== undefined);
  return (
    <section
      ref={column}
      className={isChosen ? 'answer-column answer-column-chosen' : 'answer-column'}
      aria-label={`Answer ${at} of ${of}`}
      aria-current={isChosen}
      onFocus={onChoose}
      onPointerDown={onChoose}
    >
      <header className="answer-head">
        <div className="answer-line">
          <strong className="cut">{name}</strong>
          <span className="grow" />
          <span className="figures">
            {at}/{of}
          </span>
        </div>
        <div className="answer-line answer-facts figures">
          {state !== undefined && <span className={`answer-${state}`}>{state}</span>}
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </div>
      </header>
      <div className="answer-body scroll" tabIndex={0} role="region" aria-label={`Text of answer ${at}`}>
        <MessageBlocks node={id} />
      </div>
      <AnswerActions id={id} turn={turn} isChosen={isChosen} isFailed={state === 'failed'} />
    </section>
  );
}

interface ActionsProps {
  id: string;
  turn: string | undefined;
  isChosen: boolean;
  isFailed: boolean;
}

function AnswerActions({ id, turn, isChosen, isFailed }: ActionsProps): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const { root, replica } = conversation;
  const { bookmarks } = useStore(conversation.watch.whole).root;
  if (turn !== undefined) {
    return (
      <footer className="answer-actions">
        <button
          type="button"
          className="button"
          onClick={() => loom.attempt(() => stopAnswers(loom, root, [{ turn }]))}
        >
          Stop this one
        </button>
      </footer>
    );
  }
  const copy = (): void =>
    loom.attempt(async () => {
      const node = replica.nodes.get(id);
      if (node !== undefined) await copyMessage(node);
      loom.notices.tell('Copied.');
    });
  return (
    <footer className="answer-actions">
      {isFailed ? (
        <button
          type="button"
          className="button button-quiet"
          onClick={() => loom.attempt(() => remove(loom, conversation, id))}
        >
          Remove
        </button>
      ) : (
        <button
          type="button"
          className={isChosen ? 'button button-primary' : 'button'}
          onClick={() => continueWith(loom, root, id)}
        >
          Continue with this
        </button>
      )}
      <span className="grow" />
      <IconButton icon="copy" label="Copy" onClick={copy} />
      <IconButton
        icon="bookmark"
        label="Bookmark"
        isPressed={bookmarks[id] !== undefined}
        onClick={() => loom.attempt(() => bookmark(loom, conversation, id))}
      />
    </footer>
  );
}

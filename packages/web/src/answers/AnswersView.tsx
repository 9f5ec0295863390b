import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { NavigatorButton } from '../app/TopBar.tsx';
import { markOf, nameOf } from '../conversation/who.ts';
import { useConversationTitle } from '../app/use-conversation-title.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { count, dollars } from '../words/amounts.ts';
import { messageTime } from '../words/times.ts';
import { AnswerColumn } from './AnswerColumn.tsx';
import { answerOnceMore, continueWith, stopAnswers } from './answering.ts';
import { sumOfCosts } from './answer-facts.ts';
import { MessageBlocks } from './MessageBlocks.tsx';
import { useAnswers } from './use-answers.ts';

/** All answers to one message, side by side; one of them is chosen to go on, the others stay as branches. */
export function AnswersView({ node }: { node: string }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const { root } = conversation;
  const answers = useAnswers(conversation, node);
  const [chosen, setChosen] = useState(0);
  const columns = useRef<HTMLDivElement>(null);
  // The arrows choose from the beginning on.
  useEffect(() => columns.current?.focus(), []);
  const { root: state } = useStore(conversation.watch.whole);
  const running = state.turns.filter(({ node: answered }) => answered === node);
  const spent = sumOfCosts(answers, conversation.replica.nodes);
  const current = Math.min(chosen, answers.length - 1);
  useEffect(
    () => conversation.replica.want([node, ...answers].filter((id) => !conversation.replica.nodes.has(id))),
    [conversation, node, answers],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLButtonElement && event.key === 'Enter') return;
    const answer = answers[current];
    if (event.key === 'ArrowLeft') setChosen(Math.max(0, current - 1));
    else if (event.key === 'ArrowRight') setChosen(Math.min(answers.length - 1, current + 1));
    else if (event.key === 'Enter' && answer !== undefined) continueWith(loom, root, answer);
    else if (event.key === 'Escape') loom.go({ name: 'conversation', root, node });
    else return;
    event.preventDefault();
  };
  const title = useConversationTitle() || 'Conversation';
  return (
    <main id="main" tabIndex={-1} className="main answers" onKeyDown={onKeyDown}>
      <header className="top-bar">
        <NavigatorButton />
        <h1 className="cut">{title}</h1>
        <Icon name="right" small />
        <span className="cut">{count(answers.length, 'answer')}</span>
        <span className="grow" />
        {spent !== undefined && <span className="answers-spent not-narrow">{dollars(spent)} so far</span>}
        <button
          type="button"
          className="button"
          aria-label="One more"
          onClick={() => loom.attempt(() => answerOnceMore(loom, node))}
        >
          <Icon name="plus" />
          <span className="not-narrow">One more</span>
        </button>
        {running.length > 0 && (
          <IconButton
            icon="stop"
            label="Stop all"
            onClick={() => loom.attempt(() => stopAnswers(loom, root, running))}
          />
        )}
        <IconButton
          icon="close"
          label="Back to the conversation"
          keys="Esc"
          onClick={() => loom.go({ name: 'conversation', root, node })}
        />
      </header>
      <div className="answers-question scroll">
        <Asker node={node} />
        <div className="answers-asked">
          <MessageBlocks node={node} />
        </div>
      </div>
      <div ref={columns} className="answer-columns scroll" tabIndex={0} role="group" aria-label="Answers">
        {answers.map((answer, index) => (
          <AnswerColumn
            key={answer}
            id={answer}
            turn={running.find((turn) => turn.answer === answer)?.turn}
            at={index + 1}
            of={answers.length}
            isChosen={index === current}
            onChoose={() => setChosen(index)}
          />
        ))}
      </div>
      <footer className="answers-foot not-narrow">
        <span>
          <kbd>←</kbd> <kbd>→</kbd> choose a column
        </span>
        <span>
          <kbd>Enter</kbd> continue with it
        </span>
        <span>The others stay as branches.</span>
      </footer>
    </main>
  );
}

/** The author and time of the question. */
function Asker({ node: id }: { node: string }): ReactElement | null {
  const node = useStore(useConversation().watch.node(id));
  if (node === undefined) return null;
  return (
    <p className="answers-asker">
      <span className={`mark ${markOf(node)}`} />
      <strong className="cut">{nameOf(node)}</strong>
      <time dateTime={new Date(node.time).toISOString()}>{messageTime(node.time, Date.now())}</time>
    </p>
  );
}

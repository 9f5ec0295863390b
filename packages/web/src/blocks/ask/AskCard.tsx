import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { ToolUseBlock } from '@loom/blocks';
import type { Ask } from '@loom/kernel';
import { describeFailure } from '../../words/failures.ts';
import { useBlockHost } from '../block-host.ts';
import type { Decision } from '../block-host.ts';
import { Answer } from './Answer.tsx';
import { Approval } from './Approval.tsx';
import { AskFacts } from './AskFacts.tsx';
import { askFacts, dangerOf } from './ask-facts.ts';
import { AskPreview } from './AskPreview.tsx';
import { askTitle, exactArguments } from './ask-words.ts';
import { questionOptions } from './question-options.ts';

interface AskCardProps {
  call: ToolUseBlock;
  /** The node of the call's result, which waits. */
  node: string;
  ask: Ask;
  /** Where the card stands by itself, without the line of its call above. */
  isAlone?: boolean;
}

/** What a model wants to do or to know, for a person to decide. It takes no focus, and no key alone decides anything. */
export function AskCard({ call, node, ask, isAlone = false }: AskCardProps): ReactElement {
  const { decide, folder } = useBlockHost();
  const [state, setState] = useState<'open' | 'sending' | { trouble: string }>('open');
  const card = useRef<HTMLDivElement>(null);
  const settle = (decision: Decision['decision'], text?: string): void => {
    if (state === 'sending') return;
    setState('sending');
    const keepFocus = focusKeeper(card.current);
    const said = text === undefined || text.trim() === '' ? {} : { text: text.trim() };
    decide({ node, decision, arguments: exactArguments(call), ...said }).then(keepFocus, (error: unknown) =>
      setState({ trouble: describeFailure(error) }),
    );
  };
  const title = askTitle(call, ask);
  const isSending = state === 'sending';
  return (
    <div ref={card} role="group" className={isAlone ? 'ask ask-alone' : 'ask'} aria-label={title}>
      <div className="ask-question">
        <strong>{title}</strong>
        <AskPreview call={call} node={node} ask={ask} />
        {ask.kind === 'ask' && <AskFacts facts={askFacts(ask.preview, folder())} />}
        {typeof state === 'object' && (
          <p role="alert" className="ask-trouble">
            {state.trouble}
          </p>
        )}
      </div>
      {ask.kind === 'question' ? (
        <Answer
          node={node}
          label={title}
          options={questionOptions(call)}
          isSending={isSending}
          onAnswer={(text) => settle('answered', text)}
          onDeny={() => settle('denied')}
        />
      ) : (
        <Approval
          isDangerous={dangerOf(ask.preview) !== undefined}
          isSending={isSending}
          onAllow={() => settle('approved')}
          onDeny={(reason) => settle('denied', reason)}
        />
      )}
    </div>
  );
}

/** A card leaves once it is decided, and with it what had the focus: the messages around it get it, so that a reader with a keyboard stays in this place. */
function focusKeeper(card: HTMLElement | null): () => void {
  if (card === null || !card.contains(document.activeElement)) return () => {};
  const around = card.closest<HTMLElement>('[role="feed"]') ?? document.getElementById('main');
  return () => {
    const { activeElement: now, body } = document;
    if (now === null || now === body || card.contains(now)) around?.focus({ preventScroll: true });
  };
}

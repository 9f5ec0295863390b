import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { ToolUseBlock } from '@loom/blocks';
import { dangerOf } from '@loom/blocks/asking';
import type { Ask } from '@loom/kernel';
import { describeFailure } from '../../words/failures.ts';
import { useBlockHost } from '../block-host.ts';
import type { Decision } from '../block-host.ts';
import { Approval } from './Approval.tsx';
import { AskFacts } from './AskFacts.tsx';
import { askFacts } from './ask-facts.ts';
import { AskPreview } from './AskPreview.tsx';
import { askTitle, exactArguments, isLimit } from './ask-words.ts';
import { useDeciders } from './deciders.ts';
import { useAwayWords } from './use-away.ts';
import { PlanChoices } from './PlanChoices.tsx';
import { Questions } from './Questions.tsx';
import { answerWords, questionsOf } from './questions-of.ts';
import { useHome } from './use-home.ts';

interface AskCardProps {
  call: ToolUseBlock;
  /** The node of the call's result, which waits. */
  node: string;
  ask: Ask;
  /** True if the card stands alone, without the line of its call above. */
  isAlone?: boolean;
}

/** A request or question of a model, for a person to decide. It takes no focus, and no key alone decides anything. */
export function AskCard({ call, node, ask, isAlone = false }: AskCardProps): ReactElement {
  const { decide, folder } = useBlockHost();
  const may = useDeciders();
  const home = useHome();
  const away = useAwayWords();
  const [state, setState] = useState<'open' | 'sending' | { trouble: string }>('open');
  const card = useRef<HTMLDivElement>(null);
  const written = exactArguments(call);
  const settle = (said: Omit<Decision, 'node' | 'arguments'>): void => {
    if (state === 'sending' || away !== undefined) return;
    setState('sending');
    const keepFocus = focusKeeper(card.current);
    decide({ node, arguments: written, ...said }).then(keepFocus, (error: unknown) =>
      setState({ trouble: describeFailure(error) }),
    );
  };
  const title = askTitle(call, ask);
  const isSending = state === 'sending' || away !== undefined;
  const { questions, isTold } = questionsOf(call, ask, title);
  const isDangerous = dangerOf(ask.preview) !== undefined;
  const hasTitle = ask.kind === 'ask' || questions.length === 1;
  return (
    <div
      ref={card}
      role="group"
      className={['ask', isAlone && 'ask-alone', isDangerous && 'ask-dangerous'].filter(Boolean).join(' ')}
      aria-label={title}
    >
      {(hasTitle || typeof state === 'object' || away !== undefined) && (
        <div className="ask-question">
          {hasTitle && <strong>{title}</strong>}
          <AskPreview call={call} node={node} ask={ask} home={home} />
          {ask.kind === 'ask' && !isLimit(call) && <AskFacts facts={askFacts(ask.preview, folder(), home)} />}
          {away !== undefined && (
            <p role="status" className="aside ask-away">
              {away}
            </p>
          )}
          {typeof state === 'object' && (
            <p role="alert" className="ask-trouble">
              {state.trouble}
            </p>
          )}
        </div>
      )}
      {ask.kind === 'ask' && ask.modes !== undefined && (
        <PlanChoices
          modes={ask.modes}
          may={may}
          isSending={isSending}
          onStart={(mode) => settle({ decision: 'approved', mode })}
          onDeny={(reason) => settle({ decision: 'denied', ...(reason.trim() === '' ? {} : { text: reason.trim() }) })}
        />
      )}
      {ask.kind === 'ask' && ask.modes === undefined && (
        <Approval
          written={written}
          rules={isDangerous ? [] : (ask.rules ?? [])}
          isLimit={isLimit(call)}
          isAgents={call.executed === 'provider'}
          folder={folder()}
          home={home}
          may={may}
          isDangerous={isDangerous}
          isSending={isSending}
          onAllow={(options) => settle({ decision: 'approved', ...options })}
          onDeny={(reason) => settle({ decision: 'denied', ...(reason.trim() === '' ? {} : { text: reason.trim() }) })}
        />
      )}
      {ask.kind === 'question' && may.answer && (
        <Questions
          node={node}
          questions={questions}
          isSending={isSending || !may.isKnown}
          onAnswer={(answers) =>
            settle({
              decision: 'answered',
              ...(isTold ? { answers: [...answers] } : { text: answers.map(answerWords).join('\n') }),
            })
          }
          onSkip={() => settle({ decision: 'denied' })}
        />
      )}
      {ask.kind === 'question' && !may.answer && (
        <div className="ask-choices">
          <span className="aside">Only those who may write here can answer this.</span>
        </div>
      )}
    </div>
  );
}

/**
 * Returns a function that keeps the focus in place. A card leaves once it is decided, and with it the focused element: the messages around
 * it get the focus, so that a reader with a keyboard stays in this place.
 */
function focusKeeper(card: HTMLElement | null): () => void {
  if (card === null || !card.contains(document.activeElement)) return () => {};
  const around = card.closest<HTMLElement>('[role="feed"]') ?? document.getElementById('main');
  return () => {
    const { activeElement: now, body } = document;
    if (now === null || now === body || card.contains(now)) around?.focus({ preventScroll: true });
  };
}

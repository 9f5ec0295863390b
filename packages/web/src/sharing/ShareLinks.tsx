import { useState } from 'react';
import type { ReactElement } from 'react';
import { Question } from '../ui/floating/Question.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useWorkHost } from '../work/work-host.ts';
import type { ListedShare } from './share-answers.ts';
import { shareWords } from './share-words.ts';

interface ShareLinksProps {
  shares: readonly ListedShare[];
  /** True if each says which conversation it shows. */
  isOfMany: boolean;
  /** Called after one was revoked. */
  onChange: () => void;
}

/** Links that were made before, each with the way to end it. */
export function ShareLinks({ shares, isOfMany, onChange }: ShareLinksProps): ReactElement {
  const { ask, attempt, tell } = useWorkHost();
  const [asked, setAsked] = useState<ListedShare>();
  const revoke = ({ id }: ListedShare): void =>
    attempt(async () => {
      await ask('share.revoke', { id });
      onChange();
      tell('The link ended. Pages that showed it were told.');
    });
  return (
    <ul className="share-links">
      {shares.map((share) => (
        <li key={share.id} className="setting-line">
          <div className="grow">
            {isOfMany && (
              <PlaceLink
                place={{ name: 'conversation', root: share.root, ...(share.whole ? {} : { node: share.leaf }) }}
              >
                {share.title ?? 'Conversation without a title'}
              </PlaceLink>
            )}
            <p>{shareWords(share, Date.now())}</p>
          </div>
          {!share.ended && (
            <button
              type="button"
              className="button button-quiet button-danger"
              aria-label={`Revoke the link of ${share.title ?? share.id}`}
              onClick={() => setAsked(share)}
            >
              Revoke
            </button>
          )}
        </li>
      ))}
      {asked !== undefined && (
        <Question
          title="End this link?"
          action="Revoke"
          isDangerous
          onAnswer={() => revoke(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            It opens nothing from then on, also on pages that are open. What was read or copied before is not undone.
          </p>
        </Question>
      )}
    </ul>
  );
}

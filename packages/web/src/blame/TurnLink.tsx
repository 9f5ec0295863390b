import type { ReactElement } from 'react';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { askedWords, turnFacts } from './blame-words.ts';
import type { BlamedTurn } from './blame-words.ts';

interface TurnLinkProps {
  turn: BlamedTurn;
  /** The message and the block that show the change, if that is known. */
  shown?: { readonly node: string; readonly block: string } | undefined;
  /** Further facts about its part. */
  facts?: readonly string[];
  /** Called when the reader goes there. */
  onLeave: () => void;
}

/** A turn, what was asked in it, and the way to it: to the change itself where that is known. */
export function TurnLink({ turn, shown, facts = [], onLeave }: TurnLinkProps): ReactElement {
  const { root, node } = turn;
  return (
    <div className="blame-turn" onClick={onLeave}>
      <PlaceLink place={{ name: 'conversation', root, ...(shown ?? { node }) }} className="blame-asked">
        {askedWords(turn)}
      </PlaceLink>
      <p className="blame-facts">{[...turnFacts(turn, Date.now()), ...facts].join(' · ')}</p>
    </div>
  );
}

import type { ReactElement } from 'react';
import { useAsked } from '../stores/use-asked.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { count } from '../words/amounts.ts';
import { commitWords } from './blame-words.ts';
import { TurnLink } from './TurnLink.tsx';

interface CommitTurnsProps {
  directory: string;
  commit: string;
  onLeave: () => void;
}

/** The turns behind a commit: those that wrote its lines, those that made it, and sessions that began at it. */
export function CommitTurns({ directory, commit, onLeave }: CommitTurnsProps): ReactElement {
  const { call } = useWorkHost();
  const { value: found, failure } = useAsked(`${directory} ${commit}`, () =>
    call('commit.turns', { directory, commit }),
  );
  if (failure !== undefined) {
    return (
      <p role="alert" className="failure">
        {failure}
      </p>
    );
  }
  if (found === undefined) return <p role="status">Reading what conversations recorded…</p>;
  const { turns, began, added, known, complete } = found;
  return (
    <>
      <p>
        <strong>{commitWords(found.commit, Date.now())}</strong>
      </p>
      <p className="blame-facts">
        {added === 0
          ? 'It added no line to a text file.'
          : known === added
            ? `The turn of ${added === 1 ? 'its added line' : `all ${added} added lines`} is known.`
            : `Of ${count(added, 'added line')}, ${added - known} are not known to be of a turn.`}
        {!complete && ' Not everything could be looked at.'}
      </p>
      <ul className="blame-turns">
        {turns.map(({ lines, committed, ...turn }) => (
          <li key={turn.node}>
            <TurnLink
              turn={turn}
              facts={[
                ...(lines === 0 ? [] : [`wrote ${count(lines, 'line')}`]),
                ...(committed === true ? ['made the commit'] : []),
              ]}
              onLeave={onLeave}
            />
          </li>
        ))}
        {began.map(({ root, root_title: title, opening }) => (
          <li key={root} className="blame-turn" onClick={onLeave}>
            <PlaceLink place={{ name: 'conversation', root }} className="blame-asked">
              {title ?? opening}
            </PlaceLink>
            <p className="blame-facts">began at this commit</p>
          </li>
        ))}
      </ul>
      {turns.length === 0 && began.length === 0 && <p>No turn is known to have to do with it.</p>}
    </>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { BranchTurn } from '../conversation/branch-turns.ts';
import { useStore } from '../stores/use-store.ts';
import { summaryFigures, sumOfTurns, turnFigures, turnWords } from '../timeline/turns/turn-words.ts';
import { Icon } from '../ui/Icon.tsx';
import { timeAmong } from '../words/times.ts';

/** The turns of the branch on display: what was asked, and what came of it. */
export function TurnsTab(): ReactElement {
  const { turns } = useConversation();
  const items = useStore(turns.items);
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const shown = items.filter((turn) => turnWords(turn).toLowerCase().includes(wanted));
  const latest = Date.parse(items.at(-1)?.time ?? '');
  return (
    <div className="scroll inspector-scroll">
      <label className="field turns-find">
        <Icon name="search" />
        <input
          aria-label="Find a turn"
          placeholder="Find a turn"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </label>
      <p className="turns-sum figures">{sumOfTurns(items).join(' · ')}</p>
      <ol className="turns">
        {shown.map((turn) => (
          <TurnRow key={turn.node} turn={turn} latest={latest} />
        ))}
      </ol>
      {shown.length === 0 && items.length > 0 && <p className="inspector-note">No turn has “{query.trim()}”.</p>}
    </div>
  );
}

function TurnRow({ turn, latest }: { turn: BranchTurn; latest: number }): ReactElement {
  const { workspace } = useLoom();
  const { turns } = useConversation();
  const isHere = useStore(turns.here) === turn.node;
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isHere) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isHere]);
  const summed =
    turn.kind === 'summary' ? [summaryFigures(turn)] : turnFigures(turn).filter((one) => !one.endsWith('tokens'));
  return (
    <li>
      <button
        ref={row}
        type="button"
        className={turn.kind === 'person' ? 'turn-row' : 'turn-row turn-row-quiet'}
        aria-current={isHere ? 'true' : undefined}
        onClick={() => workspace.reveal.set({ node: turn.node, how: 'center' })}
      >
        <span className="turn-number figures">{turn.number}</span>
        <span className="turn-words cut">{turnWords(turn)}</span>
        <span className="turn-facts figures">
          {[timeAmong(Date.parse(turn.time), latest), ...summed]
            .filter((fact) => fact !== undefined)
            .map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
        </span>
      </button>
    </li>
  );
}

/** The number of turns from which they have a tab. */
export const fewestTurns = 3;

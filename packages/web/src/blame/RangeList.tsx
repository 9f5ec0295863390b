import { useState } from 'react';
import type { ReactElement } from 'react';
import { grouped } from '../words/amounts.ts';
import { askedWords, rangeWords } from './blame-words.ts';
import type { Blame } from './blame-words.ts';

interface RangeListProps {
  blame: Blame;
  chosen: number | undefined;
  onChoose: (range: number) => void;
}

/** The number of ranges drawn before all are asked for, the chosen one among them. */
const mostDrawn = 200;

/** All lines of a file, those that one change wrote in one row. */
export function RangeList({ blame, chosen = 0, onChoose }: RangeListProps): ReactElement {
  const { ranges, turns, text, path } = blame;
  const [hasAll, setAll] = useState(false);
  const first = hasAll ? 0 : Math.max(0, chosen - mostDrawn / 2);
  const shown = hasAll ? ranges : ranges.slice(first, first + mostDrawn);
  return (
    <section aria-label={`Lines of ${path}`} className="blame-ranges">
      <ol>
        {shown.map((range, at) => {
          const turn = range.turn === undefined ? undefined : turns[range.turn];
          return (
            <li key={range.start}>
              <button
                type="button"
                className="blame-range"
                aria-pressed={first + at === chosen}
                onClick={() => onChoose(first + at)}
              >
                <span className="blame-range-lines">{rangeWords(range)}</span>
                <code className="cut">{text[range.start - 1]}</code>
                <span className={turn === undefined ? 'cut blame-facts' : 'cut'}>
                  {turn === undefined ? 'not known' : askedWords(turn)}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      {shown.length < ranges.length && (
        <button type="button" className="button" onClick={() => setAll(true)}>
          Show all {grouped(ranges.length)} parts of the file
        </button>
      )}
    </section>
  );
}

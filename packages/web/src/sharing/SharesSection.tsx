import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { shareList } from './share-answers.ts';
import { ShareLinks } from './ShareLinks.tsx';
import './sharing.css';

/** All links to conversations of this data folder, those that ended lately included. */
export function SharesSection(): ReactElement {
  const { ask } = useWorkHost();
  const read = useCallback(async () => shareList.parse(await ask('share.list', {})).items.toReversed(), [ask]);
  const shares = useAnswer(read);
  return (
    <>
      <h2>Shared links</h2>
      <p className="settings-note">
        People who have a link read what it shows, and nothing else of Loom. Share… in the menu of a conversation or of
        a message makes one.
      </p>
      <Waiting answer={shares}>
        {(items) =>
          items.length === 0 ? (
            <p className="settings-empty">There are no links.</p>
          ) : (
            <ShareLinks shares={items} isOfMany onChange={shares.again} />
          )
        }
      </Waiting>
    </>
  );
}

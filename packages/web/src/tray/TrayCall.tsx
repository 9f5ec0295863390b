import type { ReactElement } from 'react';
import { AskCard } from '../blocks/ask/AskCard.tsx';
import { BlockHostContext } from '../blocks/block-host.ts';
import { nameOf } from '../navigator/navigator-rows.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { calledTool } from './called-tool.ts';
import type { TrayItem } from './tray-items.ts';
import { decidedWords, useDeciding } from './use-deciding.ts';
import { waitingWords } from './waiting-words.ts';

/** One call that waits, with its conversation. A decision made here is shown for a moment before it leaves. */
export function TrayCall({ item, now }: { item: TrayItem; now: number }): ReactElement {
  const { call, endedAt } = item;
  const { root, root_title: title, opening, node, model, directory } = call;
  const { host, decided } = useDeciding(node, directory);
  const name = nameOf({ ...(title === undefined ? {} : { title }), opening });
  const isOver = endedAt !== undefined || decided !== undefined;
  return (
    <div role="group" className="tray-item" aria-label={name}>
      <div className="tray-head">
        <span className="mark mark-model" aria-hidden="true" />
        <strong className="cut">{name}</strong>
        <span className="aside cut tray-model">{model}</span>
        <span className="grow" />
        <span className="aside figures">{isOver ? '' : waitingWords(Date.parse(call.since), now)}</span>
        <PlaceLink place={{ name: 'conversation', root, node }} className="button button-quiet">
          Go there
        </PlaceLink>
      </div>
      {isOver ? (
        <p className="tray-ended" role="status">
          {decided === undefined ? 'Answered elsewhere, or no longer needed' : decidedWords[decided]}
        </p>
      ) : (
        <BlockHostContext value={host}>
          <AskCard call={calledTool(call)} node={node} ask={call.ask} isAlone />
        </BlockHostContext>
      )}
    </div>
  );
}

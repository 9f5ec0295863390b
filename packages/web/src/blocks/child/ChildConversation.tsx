import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { ConversationContext } from '../../app/loom-context.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useStore } from '../../stores/use-store.ts';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { count } from '../../words/amounts.ts';
import { useBlockHost } from '../block-host.ts';

/** The conversation of a sub-agent. It is loaded when it is shown, and stays up to date. */
export function ChildConversation({ root }: { root: string }): ReactElement | null {
  const { openChild } = useBlockHost();
  const [child, setChild] = useState<OpenConversation>();
  useEffect(() => {
    const opened = openChild(root);
    setChild(opened);
    return () => opened?.close();
  }, [openChild, root]);
  if (child === undefined) return null;
  return (
    <ConversationContext value={child}>
      <ChildRows child={child} />
    </ConversationContext>
  );
}

/** The number of rows shown; more are read in the conversation itself. */
const mostRows = 100;

function ChildRows({ child }: { child: OpenConversation }): ReactElement {
  const { ChildRow } = useBlockHost();
  const rows = useStore(child.rows).filter(({ kind }) => kind !== 'header' && kind !== 'fork');
  const shown = rows.slice(-mostRows);
  return (
    <div className="child">
      {rows.length === 0 && <p className="quiet">Loading the sub-agent</p>}
      {rows.length > shown.length && <p className="quiet">{count(rows.length - shown.length, 'earlier block')}</p>}
      {shown.map((row) => (
        <ChildRow key={row.key} row={row} />
      ))}
      <PlaceLink className="child-link" place={{ name: 'conversation', root: child.root }}>
        Open as a conversation
      </PlaceLink>
    </div>
  );
}

import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { BlockHostContext } from '../blocks/block-host.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { useLate } from '../ui/use-late.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { count } from '../words/amounts.ts';
import { messageTime } from '../words/times.ts';
import { readerHost } from './reader-host.ts';
import { branchOf } from './shared-branch.ts';
import type { SharedCopy } from './shared-copy.ts';
import type { LinkView, SharedLink } from './shared-link.ts';
import { SharedRow } from './SharedRow.tsx';
import './reader.css';

/** The page of a link: a conversation to read, and nothing else of Loom. */
export function SharedPage({ link }: { link: SharedLink }): ReactElement {
  const view = useStore(link.view);
  const host = useMemo(() => readerHost(link), [link]);
  useEffect(() => {
    const stop = (): void => link.leave();
    addEventListener('pagehide', stop);
    return () => removeEventListener('pagehide', stop);
  }, [link]);
  return (
    <BlockHostContext value={host}>
      <header className="shared-top">
        <Icon name="loom" />
        <span className="grow">Shared from Loom</span>
        {view.name === 'shown' && (
          <span className="shared-until">until {messageTime(view.copy.until, Date.now())}</span>
        )}
      </header>
      <main className="shared" aria-label="Shared conversation">
        <Shown view={view} />
      </main>
    </BlockHostContext>
  );
}

function Shown({ view }: { view: LinkView }): ReactElement | null {
  const isLate = useLate(view.name === 'loading');
  switch (view.name) {
    case 'loading':
      return isLate ? (
        <div className="shapes" role="status" aria-label="Loading the conversation">
          <div className="shape" />
          <div className="shape shape-short" />
          <div className="shape" />
        </div>
      ) : null;
    case 'unreached':
      return (
        <div className="shared-note" role="status">
          <h1>The server does not answer</h1>
          <p>The page tries again by itself.</p>
        </div>
      );
    case 'ended':
      return (
        <div className="shared-note" role="alert">
          <h1>This link ended</h1>
          <p>It was revoked, its time is over, or it is not complete. Ask the person who shared it for a new one.</p>
        </div>
      );
    case 'shown':
      return <SharedConversation copy={view.copy} isAway={view.isAway} />;
  }
}

/** The number of rows that are drawn at once; the others follow while nothing else is to be done. */
const rowsAtOnce = 200;

function SharedConversation({ copy, isAway }: { copy: SharedCopy; isAway: boolean }): ReactElement {
  const [through, setThrough] = useState<string>();
  const branch = useMemo(() => branchOf(copy, through), [copy, through]);
  const { rows } = branch;
  const [drawn, setDrawn] = useState(rowsAtOnce);
  const isCut = drawn < rows.length;
  useEffect(() => {
    let isHere = true;
    if (isCut) void whenIdle().then(() => isHere && setDrawn((before) => before + rowsAtOnce));
    return () => {
      isHere = false;
    };
  }, [drawn, isCut]);
  const title = copy.title ?? 'Conversation';
  useEffect(() => {
    document.title = `${title} · Loom`;
  }, [title]);
  const messages = copy.nodes.filter(({ role }) => role !== 'tool').length;
  return (
    <>
      <div className="shared-head">
        <h1>{title}</h1>
        <p>
          {count(messages, 'message')} to read.{copy.replaced && ' Keys and passwords are replaced by ••••.'}
        </p>
        {isAway && <p role="status">The server does not answer. This may not be the latest.</p>}
      </div>
      {rows.length === 0 && <p className="shared-empty">There is nothing to read.</p>}
      <div className="shared-rows">
        {rows.slice(0, drawn).map((row) => (
          <SharedRow key={row.key} row={row} branch={branch} onShow={setThrough} />
        ))}
      </div>
      {isCut && (
        <p role="status" className="shared-empty">
          Drawing the rest
        </p>
      )}
    </>
  );
}

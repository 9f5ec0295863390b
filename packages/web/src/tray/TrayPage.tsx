import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { Nothing } from '../ui/Nothing.tsx';
import { Page } from '../ui/Page.tsx';
import { useLate } from '../ui/use-late.ts';
import { useMinute } from '../ui/use-minute.ts';
import { InstallHint } from '../phone/InstallHint.tsx';
import { useStore } from '../stores/use-store.ts';
import { CallSheet } from './CallSheet.tsx';
import { TrayCall } from './TrayCall.tsx';
import { useTrayItems } from './use-tray-items.ts';

/** All calls that wait for a person, in all conversations. */
export function TrayPage(): ReactElement {
  const { waiting, place, go, preferences } = useLoom();
  const here = useStore(place);
  const call = here.name === 'needs-you' ? here.call : undefined;
  const { items, state } = useTrayItems();
  const now = useMinute();
  const shown = items.find(({ call: { node } }) => node === call);
  const isLate = useLate(!state.isKnown && state.failure === undefined);
  return (
    <Page title="Needs you" isList aside={items.length > 1 && <span className="aside">oldest first</span>}>
      <InstallHint hint={preferences.installHint} />
      {shown !== undefined && (
        <CallSheet
          key={shown.call.node}
          item={shown}
          now={now}
          onClose={() => go({ name: 'needs-you' }, { replace: true })}
        />
      )}
      {state.failure !== undefined && (
        <div className="error-note" role="alert">
          <p>{state.failure}</p>
          <button type="button" className="button" onClick={() => waiting.refresh()}>
            Try again
          </button>
        </div>
      )}
      {isLate && <div className="shape" role="status" aria-label="Loading" />}
      {state.isKnown && items.length === 0 && (
        <Nothing title="Nothing is waiting for you">
          <p>Approvals and questions from every conversation appear here.</p>
        </Nothing>
      )}
      {items
        .filter((item) => item !== shown)
        .map((item) => (
          <TrayCall key={item.call.node} item={item} now={now} />
        ))}
    </Page>
  );
}

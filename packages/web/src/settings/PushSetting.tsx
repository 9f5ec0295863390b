import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { z } from 'zod';
import { workerOfPage } from '../phone/page-worker.ts';
import { PushSwitch } from '../phone/push-switch.ts';
import type { PushState } from '../phone/push-switch.ts';
import { Switch } from '../ui/Switch.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { describeFailure } from '../words/failures.ts';

const listed = z.object({ why: z.string().optional() });
const keyed = z.object({ public_key: z.string() });
const made = z.object({ id: z.string() });
const tested = z.object({ delivered: z.boolean(), status: z.number().optional() });

/** The switch for notifications that also come while no page is open, through the push service of the browser. */
export function PushSetting(): ReactElement {
  const { ask } = useWorkHost();
  const [state, setState] = useState<PushState>();
  const [told, setTold] = useState<string>();
  const push = useMemo(
    () =>
      new PushSwitch(
        {
          hindrance: async () => listed.parse(await ask('push.list', {})).why,
          key: async () => keyed.parse(await ask('push.key', {})).public_key,
          subscribe: async (keys) => made.parse(await ask('push.subscribe', keys)).id,
          remove: (id) => ask('push.remove', { id }),
        },
        {
          manager: async () => (await workerOfPage())?.pushManager,
          permission: () => Notification.permission,
          askPermission: () => Notification.requestPermission(),
        },
      ),
    [ask],
  );
  const act = (work: (push: PushSwitch) => Promise<PushState>): void => {
    setTold(undefined);
    work(push).then(setState, (error: unknown) => setTold(describeFailure(error)));
  };
  useEffect(() => {
    let isShown = true;
    push.look().then(
      (found) => isShown && setState(found),
      (error: unknown) => isShown && setTold(describeFailure(error)),
    );
    return () => {
      isShown = false;
    };
  }, [push]);
  const sendTest = (id: string): void => {
    setTold(undefined);
    ask('push.test', { id }).then(
      (answer) => setTold(testWords(tested.parse(answer))),
      (error: unknown) => setTold(describeFailure(error)),
    );
  };
  return (
    <div className="setting setting-line">
      <div className="grow">
        <h3>Also while no page is open</h3>
        <p>
          The push service of your browser wakes it with an encrypted message: that a turn needs you or ended, and
          where. Nothing of what was said is in it.
        </p>
        {state?.is === 'impossible' && <p>Not possible here: {state.why}.</p>}
        {state?.is === 'blocked' && (
          <p role="alert">
            Blocked in this browser. Allow notifications for this address in its settings, then try again.
          </p>
        )}
        {told !== undefined && <p role="status">{told}</p>}
        {state?.is === 'on' && (
          <button type="button" className="button" onClick={() => sendTest(state.id)}>
            Send a test
          </button>
        )}
      </div>
      {state !== undefined && state.is !== 'impossible' && (
        <Switch
          label="Also while no page is open"
          isOn={state.is === 'on'}
          onChange={(wanted) => {
            if (wanted) act((known) => known.turnOn());
            else if (state.is === 'on') act((known) => known.turnOff(state.id));
          }}
        />
      )}
    </div>
  );
}

function testWords({ delivered, status }: z.infer<typeof tested>): string {
  if (delivered) return 'Sent. It comes within a minute, unless you are looking at the page.';
  const about = status === undefined ? '' : ` (${status})`;
  return `The push service did not take it${about}. Turn this off and on again.`;
}

import { useState } from 'react';
import type { ReactElement } from 'react';
import { Elapsed } from '../../ui/Elapsed.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';
import { useProcesses } from './use-processes.ts';
import type { BackgroundCommand } from './use-processes.ts';

/** The commands that run in the background of a conversation, in one line; opened, each with the end of its output. */
export function BackgroundPin({ root, version }: { root: string; version: string }): ReactElement | null {
  const { running, look } = useProcesses(root, version);
  const [isOpen, setOpen] = useState(false);
  if (running.length === 0) return null;
  return (
    <>
      <div className="pin">
        <Icon name="command" />
        <span className="grow cut">
          In the background:{' '}
          {running.map(({ id, command, started_at: at }, index) => (
            <span key={id}>
              {index > 0 && ' · '}
              <code>{command}</code> <Elapsed since={at} />
            </span>
          ))}
        </span>
        <IconButton
          icon={isOpen ? 'down' : 'up'}
          label={isOpen ? 'Hide output' : 'Show output'}
          isSmall
          isOpen={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && (
        <div className="background">
          {running.map((command) => (
            <Running key={command.id} command={command} onStopped={look} />
          ))}
          <p className="quiet">They end when Loom’s server stops.</p>
        </div>
      )}
    </>
  );
}

function Running({
  command: one,
  onStopped,
}: {
  command: BackgroundCommand;
  onStopped: () => Promise<void>;
}): ReactElement {
  const { ask, attempt } = useWorkHost();
  const mayStop = useMay('process.stop') === true;
  const { id, command, started_at: at, tail } = one;
  const stop = (): void =>
    attempt(async () => {
      await ask('process.stop', { id });
      await onStopped();
    });
  return (
    <section aria-label={command}>
      <div className="background-head">
        <code className="grow">{command}</code>
        <Elapsed since={at} />
        {mayStop && (
          <button type="button" className="text-button" onClick={stop}>
            Stop
          </button>
        )}
      </div>
      <pre className="ask-command" tabIndex={0} aria-label={`Output of ${command}`}>
        {tail === '' ? 'It has printed nothing yet.' : tail}
      </pre>
    </section>
  );
}

import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { providerName } from '../models/model-words.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { SetupRow } from './SetupRow.tsx';

/** The model servers that run on this computer, or the addresses that were tried. */
export function ServerRows({
  isLooking,
  onUse,
}: {
  isLooking: boolean;
  onUse: (provider: string) => void;
}): ReactElement {
  const { models } = useLoom();
  const { providers, models: known } = useStore(models.known);
  const [isChecking, setChecking] = useState(false);
  const servers = providers.filter(({ local, kind }) => local && kind !== 'demo');
  const running = servers.filter(({ usable }) => usable);
  const check = (): void => {
    setChecking(true);
    void models.refresh().finally(() => setChecking(false));
  };
  if (running.length > 0) {
    return (
      <>
        {running.map((provider) => {
          const names = known.filter((model) => model.provider === provider.name).map(({ model }) => model);
          const kind = provider.kind === 'agent' ? 'model' : 'local model';
          const text = `${count(names.length, kind)}${names.length === 0 ? '' : `: ${names.slice(0, 6).join(', ')}`}`;
          return (
            <SetupRow
              key={provider.name}
              icon="server"
              provider={provider}
              text={text}
              isChecked
              onUse={() => onUse(provider.name)}
            />
          );
        })}
      </>
    );
  }
  const names = servers.map(({ name }) => providerName(name)).join(', ');
  return (
    <div className="setup-row">
      <Icon name="server" />
      <div className="grow">
        <h3>Model server on this computer</h3>
        <p>{isLooking || isChecking ? 'Looking…' : `None is running. Loom looked for ${names}.`}</p>
      </div>
      <button type="button" className="button button-quiet" disabled={isLooking || isChecking} onClick={check}>
        Check again
      </button>
    </div>
  );
}

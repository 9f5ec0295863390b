import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import type { ProviderInfo } from '../models/model-answers.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { useMay } from '../work/use-may.ts';
import { AddProvider } from './AddProvider.tsx';
import { DefaultModel } from './DefaultModel.tsx';
import { LoginSections } from './LoginSections.tsx';
import { ProviderSection } from './ProviderSection.tsx';
import { SpendingLimits } from './SpendingLimits.tsx';
import { TitleSettings } from './TitleSettings.tsx';

/** The providers of models: which can be asked, the source of their keys, and the prices of their models. */
export function ModelsSection(): ReactElement {
  const loom = useLoom();
  const { state, providers, models, failure } = useStore(loom.models.known);
  const maySet = useMay('setting.list') === true;
  const [isAdding, setAdding] = useState(false);
  useEffect(() => loom.attempt(() => loom.models.refresh().then(() => loom.models.loadAll())), [loom]);
  const shown = inOrder(providers.filter(({ kind, key }) => kind !== 'agent' && key !== 'login'));
  return (
    <>
      <div className="settings-head">
        <h2 className="grow">Models</h2>
        <button type="button" className="button" onClick={() => setAdding(!isAdding)} aria-expanded={isAdding}>
          <Icon name="plus" />
          Add provider
        </button>
      </div>
      {isAdding && <AddProvider onDone={() => setAdding(false)} />}
      {failure !== undefined && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {state === 'loading' && <p className="settings-note">Looking for models…</p>}
      {state === 'ready' && <DefaultModel />}
      {maySet && state === 'ready' && <TitleSettings />}
      {maySet && <SpendingLimits />}
      {shown.map((provider) => (
        <ProviderSection
          key={provider.name}
          provider={provider}
          models={models.filter((model) => model.provider === provider.name)}
        />
      ))}
      {state === 'ready' && <LoginSections providers={providers} models={models} />}
    </>
  );
}

/** Sorts providers: usable ones first, the demo after those that people have set up. */
function inOrder(providers: readonly ProviderInfo[]): ProviderInfo[] {
  const rank = ({ usable, kind }: ProviderInfo): number => (kind === 'demo' ? 1 : usable ? 0 : 2);
  return [...providers].sort((one, other) => rank(one) - rank(other));
}

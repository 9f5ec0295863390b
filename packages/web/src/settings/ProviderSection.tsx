import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { KeyField } from '../models/KeyField.tsx';
import { checkKey, removeKey } from '../models/keys.ts';
import type { KeyCheck, ModelInfo, ProviderInfo } from '../models/model-answers.ts';
import { hindranceOf, providerName } from '../models/model-words.ts';
import { Icon } from '../ui/Icon.tsx';
import { ModelTable } from './ModelTable.tsx';

/** One provider: its key, whether it works, and its models. */
export function ProviderSection({
  provider,
  models,
}: {
  provider: ProviderInfo;
  models: readonly ModelInfo[];
}): ReactElement {
  const loom = useLoom();
  const { name, local, key, usable, kind } = provider;
  const [check, setCheck] = useState<KeyCheck>();
  const [isEntering, setEntering] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const act = (work: () => Promise<void>): void => {
    setBusy(true);
    loom.attempt(() => work().finally(() => setBusy(false)));
  };
  const takesKey = !local && kind !== 'demo';
  return (
    <section className="provider" aria-label={providerName(name)}>
      <div className="provider-head">
        <Icon name={kind === 'demo' ? 'play' : local ? 'server' : 'key'} />
        <h3>{providerName(name)}</h3>
        <span className="grow cut provider-about">{aboutOf(provider)}</span>
        <StateChip provider={provider} check={check} />
        {takesKey && key !== 'none' && (
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={() => act(async () => setCheck(await checkKey(loom, name)))}
          >
            Check
          </button>
        )}
        {takesKey && (
          <button
            ref={opener}
            type="button"
            className="button"
            onClick={() => setEntering(!isEntering)}
            aria-expanded={isEntering}
          >
            {key === 'none' ? 'Add key' : 'Replace key'}
          </button>
        )}
        {key === 'file' && (
          <button
            type="button"
            className="button button-quiet"
            disabled={isBusy}
            onClick={() => act(async () => removeKey(loom, name).then(() => setCheck(undefined)))}
          >
            Remove key
          </button>
        )}
        {local && kind !== 'demo' && !usable && (
          <button type="button" className="button" disabled={isBusy} onClick={() => act(() => loom.models.refresh())}>
            Check again
          </button>
        )}
      </div>
      {check !== undefined && check.state !== 'works' && (
        <p className="settings-failure" role="alert">
          {check.message}
          {check.state === 'wrong' && ' Conversations stay readable; running them needs a new key.'}
        </p>
      )}
      {isEntering && (
        <KeyField
          provider={name}
          isWanted
          onSaved={(_, isChecked) => {
            opener.current?.focus();
            setEntering(false);
            setCheck(isChecked ? { state: 'works', message: '' } : undefined);
            // The list shows what the key reaches.
            loom.attempt(() => loom.models.loadAll());
          }}
        />
      )}
      <ModelTable provider={provider} models={models} />
    </section>
  );
}

function StateChip({ provider, check }: { provider: ProviderInfo; check: KeyCheck | undefined }): ReactElement {
  if (check?.state === 'works') return <span className="chip chip-good">Works</span>;
  if (check?.state === 'wrong') return <span className="chip chip-bad">Key refused</span>;
  if (check?.state === 'unknown') return <span className="chip">Does not answer</span>;
  if (provider.problem?.code === 'key-refused') return <span className="chip chip-bad">Key refused</span>;
  if (provider.problem?.code === 'no-answer') return <span className="chip">Does not answer</span>;
  // Only a server that answers here, or a provider that was asked, is known to work.
  if (provider.usable && !provider.local) return <span className="chip">Not checked</span>;
  if (provider.usable) return <span className="chip chip-good">Ready</span>;
  const words = hindranceOf(provider);
  return <span className="chip">{words.charAt(0).toUpperCase() + words.slice(1)}</span>;
}

function aboutOf({ kind, local, address, key }: ProviderInfo): string {
  if (kind === 'demo') return 'answers from a script, offline and free';
  if (local) return address ?? '';
  const where = address === undefined ? '' : `, at ${address}`;
  switch (key) {
    case 'none':
      return `no key${where}`;
    case 'file':
      return `key in the settings of the data folder${where}`;
    case 'environment':
      return `key from the environment${where}`;
    case 'program':
      return `key from a program${where}`;
    case 'login':
      return `a login in place of a key${where}`;
  }
}

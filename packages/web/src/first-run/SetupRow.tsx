import type { ReactElement } from 'react';
import type { ProviderInfo } from '../models/model-answers.ts';
import { providerName } from '../models/model-words.ts';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';

interface SetupRowProps {
  icon: IconName;
  provider: ProviderInfo;
  text: string;
  /** True if the provider is known to respond. */
  isChecked: boolean;
  onUse: () => void;
}

/** A provider that can answer now. */
export function SetupRow({ icon, provider, text, isChecked, onUse }: SetupRowProps): ReactElement {
  const { name, address, local } = provider;
  return (
    <div className="setup-row">
      <Icon name={icon} />
      <div className="grow">
        <h3>
          {providerName(name)}
          {local && address !== undefined && ` on ${hostOf(address)}`}
        </h3>
        <p>{text}</p>
      </div>
      {isChecked ? <span className="chip chip-good">Ready</span> : <span className="chip">Not checked</span>}
      <button type="button" className="button" onClick={onUse}>
        Use it
      </button>
    </div>
  );
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

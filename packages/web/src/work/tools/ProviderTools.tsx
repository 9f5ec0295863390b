import type { ReactElement } from 'react';
import { useStore } from '../../stores/use-store.ts';
import { Switch } from '../../ui/Switch.tsx';
import { useWorkPlace } from '../conversation-mode.ts';
import { useWorkHost } from '../work-host.ts';

const offered = [
  { name: 'web_search', words: 'Search the web' },
  { name: 'code_execution', words: 'Run code' },
] as const;

/** The tools that run at the provider of the model, which Loom neither sees nor asks about; off unless an owner wants them. */
export function ProviderTools({ isOff }: { isOff: boolean }): ReactElement | null {
  const { ask, attempt, beginning, answerers } = useWorkHost();
  const { root, providerTools } = useWorkPlace();
  const [model] = useStore(answerers).models;
  if (model === undefined || model.provider === 'demo') return null;
  const toggle = (name: string, isOn: boolean): void => {
    const others = providerTools.filter((one) => one !== name);
    const names = isOn ? [...others, name] : others;
    if (root === undefined) beginning.providerTools.set(names);
    else attempt(() => ask('root.configure', { root, config: { provider_tools: names.length === 0 ? null : names } }));
  };
  return (
    <>
      <p>At {model.provider}, without asking</p>
      {offered.map(({ name, words }) => (
        <div key={name} className="tools-row">
          <span className="grow tools-names">
            <span className="tools-name">{words}</span>
            <small>{name}</small>
          </span>
          <Switch
            label={`${words}, at ${model.provider}`}
            isOn={providerTools.includes(name)}
            isOff={isOff}
            onChange={(isOn) => toggle(name, isOn)}
          />
        </div>
      ))}
    </>
  );
}

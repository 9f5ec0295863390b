import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ModelInfo, ProviderInfo } from '../models/model-answers.ts';
import { abilitiesOf, takesNoMoney, windowOf } from '../models/model-words.ts';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Switch } from '../ui/Switch.tsx';
import { count } from '../words/amounts.ts';

const few = 5;

/** The models of a provider with their context, price and abilities. */
export function ModelTable({
  provider,
  models,
}: {
  provider: ProviderInfo;
  models: readonly ModelInfo[];
}): ReactElement | null {
  const { models: store } = useLoom();
  const { usual } = useStore(store.known);
  const hidden = useStore(store.hidden);
  const [isWhole, setWhole] = useState(false);
  if (models.length === 0) return null;
  // A reader does not look here for models that cannot be asked now.
  const shown = isWhole ? models : models.slice(0, provider.usable ? few : 0);
  const isFree = takesNoMoney(provider);
  return (
    <>
      {shown.length > 0 && (
        <table className="model-table">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Context</th>
              <th scope="col">In, per M</th>
              <th scope="col">Out, per M</th>
              <th scope="col">Can</th>
              <th scope="col">In picker</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((model) => (
              <tr key={model.name}>
                <td className="cut">
                  {model.provider === 'demo' ? model.name : model.model}
                  {model.name === usual && <span className="chip">default</span>}
                </td>
                <td>{windowOf(model) ?? '–'}</td>
                <td>{priceWords(model.price?.input, isFree)}</td>
                <td>{priceWords(model.price?.output, isFree)}</td>
                <td className="cut" title={model.about}>
                  {abilitiesOf(model) || model.about}
                </td>
                <td>
                  <Switch
                    label={`Show ${model.name} in the picker`}
                    isOn={!hidden.includes(model.name)}
                    onChange={(isOn) =>
                      store.hidden.set(isOn ? hidden.filter((name) => name !== model.name) : [...hidden, model.name])
                    }
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {models.length > (provider.usable ? few : 0) && (
        <button type="button" className="text-button model-table-more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${count(models.length, 'model')}`}
        </button>
      )}
    </>
  );
}

function priceWords(price: number | undefined, isFree: boolean): string {
  if (isFree) return 'free';
  return price === undefined ? '–' : `$${price.toFixed(2)}`;
}

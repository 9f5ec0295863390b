import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { priceOf, takesNoMoney } from '../models/model-words.ts';
import type { ModelInfo } from '../models/model-answers.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { Switch } from '../ui/Switch.tsx';
import { aboutDollars } from '../words/amounts.ts';

/** The tokens of a title: what is read of a conversation, and what is written. */
const [tokensRead, tokensWritten] = [600, 20];

/** The titles that models find for new conversations: whether they do, which one, and what a hundred of them cost. */
export function TitleSettings(): ReactElement | null {
  const loom = useLoom();
  const { models, providers } = useStore(loom.models.known);
  const [changes, setChanges] = useState(0);
  const { value } = useAsked(`titles ${changes}`, async () => {
    const { items } = await loom.ask('setting.list', {});
    const of = (key: string): unknown => items.find((item) => item.key === key)?.value;
    const model = of('defaults.titleModel');
    return { isOn: of('defaults.titles') !== false, model: typeof model === 'string' ? model : '' };
  });
  if (value === undefined) return null;
  const { isOn, model } = value;
  const write = (key: string, to: string | boolean | undefined): void =>
    loom.attempt(async () => {
      if (to === undefined) await loom.ask('setting.unset', { key });
      else await loom.ask('setting.set', { key, value: to });
      setChanges((count) => count + 1);
    });
  const usable = models.filter(({ usable: is, provider }) => is && provider !== 'demo');
  const names = usable.map(({ name }) => name);
  const chosen = models.find(({ name }) => name === model);
  const isLocal = providers.some((provider) => provider.name === chosen?.provider && takesNoMoney(provider));
  return (
    <>
      <div className="setting setting-line">
        <div className="grow">
          <h3>Titles</h3>
          <p>After the first answer a model finds a title of up to six words, unless you have given one.</p>
        </div>
        <Switch
          label="Titles"
          isOn={isOn}
          onChange={(wanted) => write('defaults.titles', wanted ? undefined : false)}
        />
      </div>
      <div className="setting setting-line">
        <div className="grow">
          <h3>Model for titles</h3>
          <p>
            {chosen === undefined
              ? 'The least expensive current model of the company that is asked anyway, so that no other one reads along.'
              : `${chosen.name}: ${titlePrice(chosen, isLocal)}.`}
          </p>
        </div>
        <select
          aria-label="Model for titles"
          value={model}
          onChange={({ target }) => write('defaults.titleModel', target.value === '' ? undefined : target.value)}
        >
          <option value="">The least expensive</option>
          {(model === '' || names.includes(model) ? names : [model, ...names]).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
    </>
  );
}

/** `about $0.08 for 100 titles`, `free`, `price unknown` */
function titlePrice(model: ModelInfo, isLocal: boolean): string {
  const { price } = model;
  if (price === undefined || isLocal) return priceOf(model, isLocal);
  const dollars = ((price.input * tokensRead + price.output * tokensWritten) / 1e6) * 100;
  return `${aboutDollars(dollars)} for 100 titles`;
}

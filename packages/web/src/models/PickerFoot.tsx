import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { AgentWay } from './AgentWay.tsx';
import { unusable } from './model-filter.ts';
import { hindranceOf, providerName } from './model-words.ts';
import { mostAnswers } from './picked.ts';

interface PickerFootProps {
  isSeveral: boolean;
  setSeveral: (isSeveral: boolean) => void;
  onDone: () => void;
}

/** Presets, how many answers, and the way to more models. */
export function PickerFoot({ isSeveral, setSeveral, onDone }: PickerFootProps): ReactElement {
  const { models, go } = useLoom();
  const { presets, providers } = useStore(models.known);
  const picked = useStore(models.picked);
  const { n, names } = picked;
  const closed = unusable(providers).slice(0, 3);
  const toSettings = (): void => {
    onDone();
    go({ name: 'settings', section: 'models' });
  };
  const turnSeveral = (wanted: boolean): void => {
    setSeveral(wanted);
    if (!wanted) models.picked.set({ ...picked, names: names.slice(0, 1) });
  };
  const setCount = (to: number): void => models.picked.set({ ...picked, n: Math.max(1, Math.min(mostAnswers, to)) });
  return (
    <div className="picker-foot">
      {presets.length > 0 && (
        <div className="picker-presets" role="group" aria-label="Presets">
          {presets.map(({ name }) => (
            <button
              key={name}
              type="button"
              className="chip chip-button"
              aria-pressed={picked.preset === name}
              onClick={() =>
                models.picked.set(picked.preset === name ? { names, n } : { names: [], n: 1, preset: name })
              }
            >
              {name}
            </button>
          ))}
        </div>
      )}
      <div className="picker-line">
        <label className="check-row grow">
          <input type="checkbox" checked={isSeveral} onChange={(event) => turnSeveral(event.target.checked)} />
          <span>Several side by side</span>
        </label>
        <span className="stepper" role="group" aria-label="Answers per model">
          <button type="button" aria-label="Fewer answers" disabled={n <= 1} onClick={() => setCount(n - 1)}>
            −
          </button>
          <span className="figures">{n === 1 ? '1 answer' : `${n} answers`}</span>
          <button type="button" aria-label="More answers" disabled={n >= mostAnswers} onClick={() => setCount(n + 1)}>
            +
          </button>
        </span>
      </div>
      <AgentWay />
      <button type="button" className="picker-more" onClick={toSettings}>
        <Icon name="plus" small />
        <span>Add a model</span>
        <span className="grow cut picker-closed">
          {closed.map((provider) => `${providerName(provider.name)} ${hindranceOf(provider)}`).join(' · ')}
        </span>
      </button>
    </div>
  );
}

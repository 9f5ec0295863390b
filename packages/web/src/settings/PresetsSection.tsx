import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import type { PresetInfo } from '../models/model-answers.ts';
import { useStore } from '../stores/use-store.ts';
import { count } from '../words/amounts.ts';

/** Ways of answering that have a name: a model, how hard it thinks, how many answers. */
export function PresetsSection(): ReactElement {
  const loom = useLoom();
  const { presets } = useStore(loom.models.known);
  const change = (work: () => Promise<unknown>): void =>
    loom.attempt(async () => {
      await work();
      await loom.models.refresh();
    });
  const activate = (name: string, isActive: boolean): void =>
    change(() =>
      isActive
        ? loom.ask('setting.set', { key: 'activePresetName', value: name })
        : loom.ask('setting.unset', { key: 'activePresetName' }),
    );
  return (
    <>
      <h2>Presets</h2>
      <p className="settings-note">
        A preset names a model with its settings. The list of models offers them; /preset chooses one.
      </p>
      {presets.length === 0 && <p className="settings-empty">There are no presets yet.</p>}
      {presets.map((preset) => (
        <div key={preset.name} className="setting setting-line">
          <div className="grow">
            <h3>
              {preset.name} {preset.active && <span className="chip chip-accent">always used</span>}
            </h3>
            <p>{wordsOf(preset)}</p>
          </div>
          <button type="button" className="button" onClick={() => activate(preset.name, !preset.active)}>
            {preset.active ? 'Use only on demand' : 'Use always'}
          </button>
          <button
            type="button"
            className="button button-quiet"
            onClick={() => change(() => loom.ask('setting.unset', { key: `presets.${preset.name}` }))}
          >
            Remove
          </button>
        </div>
      ))}
      <NewPreset onSave={change} />
    </>
  );
}

function wordsOf({ model, n, settings }: PresetInfo): string {
  const parts = [model, n > 1 ? count(n, 'answer') : undefined];
  const others = Object.entries(settings).map(([key, value]) => `${key} ${String(value)}`);
  return [...parts.filter((part) => part !== undefined), ...others].join(' · ');
}

function NewPreset({ onSave }: { onSave: (work: () => Promise<unknown>) => void }): ReactElement {
  const loom = useLoom();
  const { models } = useStore(loom.models.known);
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const [reasoning, setReasoning] = useState('');
  const isReady = /^[\w-]+$/u.test(name) && (model !== '' || reasoning !== '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave(async () => {
      if (model !== '') await loom.ask('setting.set', { key: `presets.${name}.model`, value: model });
      if (reasoning !== '') await loom.ask('setting.set', { key: `presets.${name}.reasoning`, value: reasoning });
      setName('');
    });
  };
  return (
    <form className="new-preset" onSubmit={submit}>
      <span className="field">
        <input
          aria-label="Name of the preset"
          placeholder="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </span>
      <select aria-label="Model of the preset" value={model} onChange={(event) => setModel(event.target.value)}>
        <option value="">The default model</option>
        {models
          .filter(({ usable }) => usable)
          .map((known) => (
            <option key={known.name}>{known.name}</option>
          ))}
      </select>
      <select aria-label="How hard it thinks" value={reasoning} onChange={(event) => setReasoning(event.target.value)}>
        <option value="">Default thinking</option>
        {['off', 'low', 'medium', 'high', 'max'].map((level) => (
          <option key={level} value={level}>
            thinks: {level}
          </option>
        ))}
      </select>
      <button type="submit" className="button" disabled={!isReady}>
        Add preset
      </button>
    </form>
  );
}

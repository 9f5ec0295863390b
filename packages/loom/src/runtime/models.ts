import { demoModels } from '@loom/providers/demo';
import { LoomError } from '../failure.ts';
import { nearest } from '@loom/blocks/nearest-word';

/** A model that can be asked. */
export interface ChosenModel {
  provider: string;
  model: string;
  /** As people write it: `demo:slow`. */
  name: string;
}

/** A model by the name that people write: `demo`, `demo:slow` or, as in config.toml, `demo/slow`. */
export function chooseModel(name: string): ChosenModel {
  const [, provider = name, model = ''] = /^([^:/]*)[:/](.*)$/s.exec(name) ?? [];
  const names = demoModels.map((known) => known.name);
  if (provider !== 'demo') {
    const guess = model === '' ? nearest(provider, ['demo', ...names]) : undefined;
    throw new LoomError('unknown-model', `there is no provider ${JSON.stringify(provider)}`, {
      advice:
        guess === undefined
          ? 'demo is the only provider so far. Give --model demo, or: loom config set defaults.model demo'
          : `Did you mean ${guess === 'demo' ? guess : `demo:${guess}`}?`,
    });
  }
  const chosen = model === '' ? names[0] : model;
  if (chosen !== undefined && names.includes(chosen)) {
    return { provider, model: chosen, name: chosen === names[0] ? provider : `${provider}:${chosen}` };
  }
  const guess = nearest(model, names);
  throw new LoomError('unknown-model', `demo has no model ${JSON.stringify(model)}`, {
    advice: guess === undefined ? `It has ${names.join(', ')}.` : `Did you mean demo:${guess}?`,
  });
}

/** The names of all models with what they are. */
export function listModels(): { name: string; description: string }[] {
  return demoModels.map(({ name, description }) => ({ name: chooseModel(`demo:${name}`).name, description }));
}

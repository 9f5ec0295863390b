import { nearest } from '@loom/blocks/nearest-word';
import { demoModels } from '@loom/providers/demo';
import { LoomError } from '../command-line/failure.ts';

/** A model that can be asked. */
export interface ChosenModel {
  provider: string;
  model: string;
  /** The name as people write it: `demo:slow`, `anthropic/claude-sonnet-5`. */
  name: string;
  /** A remark for the person before the model is asked. */
  remark?: string;
}

/** One of the demo's models; the empty name means the first. */
export function demoModel(model = ''): ChosenModel {
  const names = demoModelNames();
  const chosen = model === '' ? names[0] : names.find((name) => name === model);
  if (chosen !== undefined) {
    return { provider: 'demo', model: chosen, name: chosen === names[0] ? 'demo' : `demo:${chosen}` };
  }
  const guess = nearest(model, names);
  throw new LoomError('unknown-model', `demo has no model ${JSON.stringify(model)}`, {
    advice: guess === undefined ? `It has ${names.join(', ')}.` : `Did you mean demo:${guess}?`,
  });
}

export function demoModelNames(): string[] {
  return demoModels.map(({ name }) => name);
}

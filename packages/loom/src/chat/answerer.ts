import type { PlainObject } from '@loom/blocks';
import type { Call } from '../command.ts';
import { readConfig } from '../config/index.ts';
import { chooseModel, type ChosenModel } from '../runtime/models.ts';

/** Who answers, and how: from the command line, else from the configuration. */
export interface Answerer {
  model: ChosenModel;
  settings: PlainObject;
  /** Of a conversation that is new. */
  systemPrompt: string | undefined;
}

export async function chooseAnswerer({ options, dataDir, terminal }: Call): Promise<Answerer> {
  const { config } = await readConfig({ dataDir, env: terminal.env });
  const preset = config.presets[config.activePresetName ?? ''];
  const { temperature, maxTokens } = config.defaults;
  return {
    model: chooseModel(textOption(options, 'model') ?? config.defaults.model ?? 'demo'),
    settings: { temperature: preset?.temperature ?? temperature, maxTokens: preset?.maxTokens ?? maxTokens },
    systemPrompt: textOption(options, 'system') ?? config.defaults.systemPrompt,
  };
}

/** The value of an option that has one. */
export function textOption(options: Call['options'], name: string): string | undefined {
  const value = options.get(name);
  return value === true ? undefined : value;
}

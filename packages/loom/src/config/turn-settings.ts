import type { PlainObject } from '@loom/blocks';
import type { Config } from './schema.ts';

/** What a preset or a command line may choose. */
interface Chosen {
  temperature?: number | undefined;
  reasoning?: string | number | undefined;
  maxTokens?: number | undefined;
}

/** The settings of a turn: what is chosen, else what the defaults say. */
export function turnSettings({ defaults }: Config, chosen: Chosen): PlainObject {
  const temperature = chosen.temperature ?? defaults.temperature;
  const reasoning = chosen.reasoning ?? defaults.reasoning;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(defaults.cacheDiagnostics === true ? { cacheDiagnostics: true } : {}),
    maxTokens: chosen.maxTokens ?? defaults.maxTokens,
  };
}

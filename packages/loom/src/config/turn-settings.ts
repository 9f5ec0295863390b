import type { PlainObject } from '@loom/blocks';
import type { Config } from './schema.ts';

/** The settings that a preset or a command line may choose. */
interface Chosen {
  temperature?: number | undefined;
  reasoning?: string | number | undefined;
  maxTokens?: number | undefined;
}

/** Returns the settings of a turn: the chosen ones, else the defaults. */
export function turnSettings({ defaults }: Config, chosen: Chosen): PlainObject {
  const temperature = chosen.temperature ?? defaults.temperature;
  const reasoning = chosen.reasoning ?? defaults.reasoning;
  const maxTokens = chosen.maxTokens ?? defaults.maxTokens;
  const { maxRounds, compact } = defaults;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(defaults.cacheDiagnostics === true ? { cacheDiagnostics: true } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxRounds === undefined ? {} : { max_rounds: maxRounds }),
    // A person who wants to be asked before a conversation is summarized, or wants no summary, gets a failure when there is no room.
    ...(compact === 'auto' ? {} : { on_no_room: 'fail' }),
  };
}

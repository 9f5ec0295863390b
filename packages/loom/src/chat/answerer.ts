import type { PlainObject } from '@loom/blocks';
import type { Call } from '../command.ts';
import type { Config } from '../config/schema.ts';
import { KIND_LABELS, REASONING_LEVELS, type COMPACTIONS } from '../config/settings.ts';
import { LoomError, UsageError } from '../failure.ts';
import type { ChosenModel } from '../models/demo-model.ts';
import { createModels, type Models } from '../models/models.ts';
import { nearest } from '@loom/blocks/nearest-word';
import { systemClock } from '../runtime/system-clock.ts';

/** Who answers, and how: from the command line, else from the configuration. */
export interface Answerer {
  model: ChosenModel;
  /** Who else answers beside it. */
  others: readonly ChosenModel[];
  /** How many answers of the first. */
  answers: number;
  models: Models;
  settings: PlainObject;
  /** What is done when context runs full. */
  compaction: (typeof COMPACTIONS)[number];
  /** Of a conversation that is new. */
  systemPrompt: string | undefined;
}

export async function chooseAnswerer({ options, repeated, dataDir, terminal }: Call): Promise<Answerer> {
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  const config = await models.load();
  const preset = findPreset(config, textOption(options, 'preset'));
  const { temperature, maxTokens, ...chosen } = { ...config.defaults, ...preset };
  const reasoning = readReasoning(textOption(options, 'reasoning')) ?? chosen.reasoning;
  const [name, ...otherNames] = repeated.get('model') ?? [];
  const others: ChosenModel[] = [];
  for (const other of otherNames) others.push(await models.choose(other));
  return {
    model: await models.choose(name ?? textOption(options, 'model') ?? preset?.model),
    others,
    answers: readCount(textOption(options, 'answers')) ?? chosen.n ?? 1,
    models,
    settings: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(reasoning === undefined ? {} : { reasoning }),
      maxTokens,
    },
    compaction: config.defaults.compact ?? 'ask',
    systemPrompt: textOption(options, 'system') ?? config.defaults.systemPrompt,
  };
}

function readCount(given: string | undefined): number | undefined {
  if (given === undefined || /^[1-9]\d?$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new UsageError('bad-option', `-n must be a whole number from 1 to 99, not ${JSON.stringify(given)}`);
}

function readReasoning(given: string | undefined): string | number | undefined {
  if (given === undefined || REASONING_LEVELS.some((level) => level === given)) return given;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new UsageError('bad-option', `--reasoning must be ${KIND_LABELS.reasoning}, not ${JSON.stringify(given)}`);
}

/** The preset that is named, else the active one. */
function findPreset({ presets, activePresetName = '' }: Config, named: string | undefined): Preset | undefined {
  const name = named ?? activePresetName;
  if (Object.hasOwn(presets, name)) return presets[name];
  if (named === undefined) return undefined;
  const known = Object.keys(presets);
  const guess = nearest(named, known);
  throw new LoomError('unknown-preset', `there is no preset ${JSON.stringify(named)}`, {
    advice:
      guess === undefined
        ? known.length === 0
          ? `Make one: loom config set presets.${named}.temperature 0.7`
          : `There are ${known.join(', ')}.`
        : `Did you mean ${guess}?`,
  });
}

type Preset = Config['presets'][string];

/** The value of an option that has one. */
export function textOption(options: Call['options'], name: string): string | undefined {
  const value = options.get(name);
  return value === true ? undefined : value;
}

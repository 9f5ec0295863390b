import type { PlainObject } from '@loom/blocks';
import type { Call } from '../command-line/command.ts';
import type { Config } from '../config/schema.ts';
import { turnSettings } from '../config/turn-settings.ts';
import { formatKey } from '../config/key-text.ts';
import { KIND_LABELS, REASONING_LEVELS, type COMPACTIONS } from '../config/settings.ts';
import { LoomError, UsageError } from '../command-line/failure.ts';
import { agentNames } from '../models/agents/agents.ts';
import type { ChosenModel } from '../models/demo-model.ts';
import { createModels, type Models } from '../models/models.ts';
import { nearest } from '@loom/blocks/nearest-word';
import { systemClock } from '../runtime/system-clock.ts';
import { quoteForShell, suggest } from '../command-line/suggested-command.ts';

/** The model that answers, and its settings: from the command line, else from the configuration. */
export interface Answerer {
  model: ChosenModel;
  /** The other models that answer beside it. */
  others: readonly ChosenModel[];
  /** The number of answers of each. */
  answers: number;
  /** An explanation, if the configuration asks for several answers. */
  answersRemark: string | undefined;
  models: Models;
  settings: PlainObject;
  /** The reaction when context runs full. */
  compaction: (typeof COMPACTIONS)[number];
  /** Returns the model that finds a title for the conversation, if the settings name one. */
  titleModel: (() => Promise<ChosenModel>) | undefined;
  /** Returns the model that summarizes the conversation, if the settings name one; else the one that answers does. */
  summaryModel: (() => Promise<ChosenModel>) | undefined;
  /** The system prompt of a new conversation. */
  systemPrompt: string | undefined;
}

export async function chooseAnswerer({ options, repeated, dataDir, terminal }: Call): Promise<Answerer> {
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  const config = await models.load();
  const preset = findPreset(config, textOption(options, 'preset'));
  const reasoning = readReasoning(textOption(options, 'reasoning'));
  const [first, ...otherNames] = repeated.get('model') ?? [];
  const name = agentWanted(textOption(options, 'agent'), first) ?? first;
  const { titleModel, summaryModel } = config.defaults;
  const others: ChosenModel[] = [];
  for (const other of otherNames) others.push(await models.choose(other));
  return {
    model: await models.choose(name ?? textOption(options, 'model') ?? preset?.values.model),
    others,
    ...chooseCount(textOption(options, 'answers'), config, preset),
    models,
    settings: turnSettings(config, { ...preset?.values, ...(reasoning === undefined ? {} : { reasoning }) }),
    compaction: config.defaults.compact,
    titleModel: titleModel === undefined ? undefined : () => models.choose(titleModel),
    summaryModel: summaryModel === undefined ? undefined : () => models.choose(summaryModel),
    systemPrompt: textOption(options, 'system') ?? config.defaults.systemPrompt,
  };
}

/** Returns the name of the agent that is to answer, with the model that was named for it. */
function agentWanted(agent: string | undefined, model: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  if (agentNames.some((known) => known === agent)) return model === undefined ? agent : `${agent}/${model}`;
  throw new UsageError('bad-option', `there is no agent ${JSON.stringify(agent)}`, {
    advice: `${suggest('agents')} lists them: ${agentNames.join(', ')}.`,
  });
}

/** Returns the number of answers: as the command line says, else as the preset does, else as the defaults do. */
function chooseCount(
  given: string | undefined,
  { defaults }: Config,
  preset: NamedPreset | undefined,
): Pick<Answerer, 'answers' | 'answersRemark'> {
  if (given !== undefined) return { answers: readCount(given), answersRemark: undefined };
  const own = preset?.values.n;
  const [key, answers] =
    own === undefined ? ['defaults.n', defaults.n] : [formatKey(['presets', preset?.name ?? '', 'n']), own];
  if (answers > mostAnswers) {
    throw new LoomError('bad-value', `${key} is ${answers}, and a message gets at most ${mostAnswers} answers`, {
      advice: `Set fewer: ${suggest(`config set ${quoteForShell(key)} 1`)}`,
    });
  }
  const remark = `${key} is ${answers}, so each message gets ${answers} answers, and no tools are used. For one answer, with tools: -n 1, or /n 1 in a chat.`;
  return { answers, answersRemark: answers === 1 ? undefined : remark };
}

const mostAnswers = 99;

function readCount(given: string): number {
  if (/^[1-9]\d?$/.test(given)) return Number(given);
  throw new UsageError(
    'bad-option',
    `-n must be a whole number from 1 to ${mostAnswers}, not ${JSON.stringify(given)}`,
  );
}

function readReasoning(given: string | undefined): string | number | undefined {
  if (given === undefined || REASONING_LEVELS.some((level) => level === given)) return given;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new UsageError('bad-option', `--reasoning must be ${KIND_LABELS.reasoning}, not ${JSON.stringify(given)}`);
}

/** The preset that is named, else the active one. */
function findPreset({ presets, activePresetName = '' }: Config, named: string | undefined): NamedPreset | undefined {
  const name = named ?? activePresetName;
  const values = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (values !== undefined) return { name, values };
  if (named === undefined) return undefined;
  const known = Object.keys(presets);
  const guess = nearest(named, known);
  throw new LoomError('unknown-preset', `there is no preset ${JSON.stringify(named)}`, {
    advice:
      guess === undefined
        ? known.length === 0
          ? `Make one: ${suggest(`config set presets.${named}.temperature 0.7`)}`
          : `There are ${known.join(', ')}.`
        : `Did you mean ${guess}?`,
  });
}

interface NamedPreset {
  name: string;
  values: Config['presets'][string];
}

/** The value of an option that has one. */
export function textOption(options: Call['options'], name: string): string | undefined {
  const value = options.get(name);
  return value === true ? undefined : value;
}

import { z } from 'zod';
import { cleanString, plainObject, stableDeepEqual } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { nearest } from '@loom/blocks/nearest-word';
import { approvalMode, origin } from './op.ts';
import type { ApprovalMode, Origin, RootConfig } from './op.ts';
import { refuse } from './refusal.ts';
import type { Refused } from './refusal.ts';

/** The settings that Loom itself reads in the config of a conversation, beside the prompt. */
export interface RootSettings {
  /** The folder that it works in. */
  directory?: string;
  /** The tools that its turns may use, unless they are told otherwise. */
  tools?: readonly string[];
  approvalMode?: ApprovalMode;
  /** The tools that its models' providers run themselves. */
  providerTools?: readonly ProviderTool[];
  /** Its origin before it came here, or the call that it is the conversation of. */
  origin?: Origin;
}

/** The tools that providers run themselves, where they have them. */
const providerTools = ['web_search', 'code_execution'] as const;
type ProviderTool = (typeof providerTools)[number];

/** The prompt about a folder as a turn has taken it: for this folder, with or without its instructions. */
const agentPrompt = z.strictObject({ directory: cleanString, instructions: z.boolean(), text: cleanString });
type AgentPrompt = z.infer<typeof agentPrompt>;

/**
 * The config that callers give. Stored configs hold more: importers and older versions have written other keys. It is loose so that an
 * unknown key gets its own refusal, which names the key that was meant.
 */
export const givenConfig = z.looseObject({
  systemPrompt: cleanString.exactOptional(),
  directory: cleanString.exactOptional().describe('The folder that the conversation works in.'),
  tools: z
    .array(cleanString)
    .exactOptional()
    .describe('The names of the tools that its turns may use, from tool.list.'),
  approval_mode: approvalMode.exactOptional().describe('How freely its tools may act.'),
  origin: origin.exactOptional().describe('Where the conversation was before: a program, and the id it has there.'),
  provider_tools: z
    .array(z.enum(providerTools))
    .exactOptional()
    .describe('Tools that run at the provider of its models.'),
  instructions: z
    .boolean()
    .exactOptional()
    .describe('Shows models the AGENTS.md or CLAUDE.md of the folder. Default: true.'),
  agent_prompt: agentPrompt
    .exactOptional()
    .describe(
      'What models are told about the folder. The first turn with tools takes it; null lets the next one take it again.',
    ),
  sender: cleanString.exactOptional().describe('The node of another conversation that sent out the agent of this one.'),
  question: cleanString
    .exactOptional()
    .describe('The question that was asked of several with question.ask: their conversations have the same one.'),
  custom: plainObject.exactOptional().describe("The caller's own data."),
});

const {
  provider_tools: ofProviders,
  directory: text,
  tools: texts,
  approval_mode: mode,
  origin: place,
} = givenConfig.shape;
const knownKeys = Object.keys(givenConfig.shape);

/** Reads them. A stored config may hold anything, so a value of the wrong kind is left alone. */
export function readRootSettings(config: RootConfig): RootSettings {
  const directory = text.safeParse(config['directory']).data;
  const tools = texts.safeParse(config['tools']).data;
  const ownMode = mode.safeParse(config['approval_mode']).data;
  const providers = ofProviders.safeParse(config['provider_tools']).data;
  const from = place.safeParse(config['origin']).data;
  return {
    ...(directory === undefined ? {} : { directory }),
    ...(tools === undefined ? {} : { tools }),
    ...(ownMode === undefined ? {} : { approvalMode: ownMode }),
    ...(providers === undefined ? {} : { providerTools: providers }),
    ...(from === undefined ? {} : { origin: from }),
  };
}

/** Returns the settings that tools and providers get of the conversation that they work in. */
export function surroundingsOf(config: RootConfig): Pick<RootSettings, 'directory' | 'approvalMode'> {
  const { directory } = readRootSettings(config);
  return { ...(directory === undefined ? {} : { directory }), ...modeOf(config) };
}

/**
 * Returns the prompt that models are shown: what they are told about the folder, then the conversation's own. A prompt about another folder
 * is left out, and so is one where there is no folder.
 */
export function promptOf(config: RootConfig): { systemPrompt?: string } {
  const { systemPrompt: own } = config;
  const taken = agentPromptOf(config);
  if (taken === undefined) return own === undefined ? {} : { systemPrompt: own };
  return { systemPrompt: own === undefined || own === '' ? taken.text : `${taken.text}\n\n${own}` };
}

/** Returns the prompt about the folder of a conversation, if a turn has taken it for the present folder and switch. */
export function agentPromptOf(config: RootConfig): AgentPrompt | undefined {
  const taken = agentPrompt.safeParse(config['agent_prompt']).data;
  const { directory = '' } = readRootSettings(config);
  const isFor = taken?.directory === directory && taken.instructions === wantsInstructions(config);
  return isFor && directory !== '' ? taken : undefined;
}

/** Returns true unless the instructions in the folder of a conversation are switched off. */
export function wantsInstructions(config: RootConfig): boolean {
  return config['instructions'] !== false;
}

/** Returns the mode that the tools of a conversation work in. */
export function modeOf(config: RootConfig): Pick<RootSettings, 'approvalMode'> {
  const { approvalMode: own } = readRootSettings(config);
  return own === undefined ? {} : { approvalMode: own };
}

/**
 * Refuses the first key that Loom does not know and whose value is new: a misspelled key would be stored and have no effect.
 * Keys that `stored` holds already may stay or be removed.
 */
export function refuseUnknownKeys(changes: PlainObject = {}, stored: RootConfig = {}): Refused | undefined {
  for (const [key, value] of Object.entries(changes)) {
    const isOld = Object.hasOwn(stored, key) && (value === null || stableDeepEqual(value, stored[key]));
    if (knownKeys.includes(key) || isOld) continue;
    const likely = nearest(key, knownKeys);
    return refuse({
      reason: 'unknown-config-key',
      key,
      nearest: likely === undefined ? [] : [likely],
      known: knownKeys,
    });
  }
  return undefined;
}

import { isBlank } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ApiRequest, LeftOut } from '../api/api.ts';
import { ExactValues } from '../api/wire/exact-values.ts';
import { functionTool } from '../api/request/function-tool.ts';
import { openaiPictures, picturesTooLarge } from '../api/request/picture-limits.ts';
import { knownLimit, readCallSettings, sampling } from '../api/request/settings.ts';
import type { CallSettings } from '../api/request/settings.ts';
import { ToolNames } from '../api/request/tool-names.ts';
import { writeChat } from './native-chat.ts';
import { writeInput } from './native-input.ts';

/** `^[a-zA-Z0-9_-]{1,64}$`: https://platform.openai.com/docs/api-reference/chat/create */
const longestToolName = 64;

/** "Expected a value >= 16, but got 1 instead." */
const leastOutput = 16;

/** Converts a request for the Responses API. Pure. Nothing is stored there: the conversation goes along, the reasoning encrypted. */
export function toResponsesRequest(request: ProviderRequest, files: ReadonlyMap<string, Uint8Array>): ApiRequest {
  const settings = readCallSettings(request.settings);
  const names = toolNames(request);
  const tooLarge = picturesTooLarge(request.messages, files, openaiPictures);
  const { items, leftOut } = writeInput({ messages: request.messages, files, names, tooLarge });
  const tools = providerTools(settings);
  return {
    options: {
      ...commonOptions(request, settings, names, tools.offered),
      ...knownLimit(request.maxTokens, leastOutput),
      providerOptions: joinOptions(settings, {
        store: false,
        // Routes a conversation to the same server, which has its prefix cached.
        promptCacheKey: request.root.slice(-64),
        ...(settings.reasoning === undefined || isOff(settings.reasoning) ? {} : { reasoningSummary: 'auto' }),
      }),
    },
    exact: standIn({ role: 'user', content: [{ type: 'input_text', text: standInText }] }, items),
    leftOut: [...leftOut, ...tools.leftOut],
    toolName: (name) => names.fromWire(name),
  };
}

/** Converts a request for OpenAI's chat completions. Pure. */
export function toChatRequest(request: ProviderRequest, files: ReadonlyMap<string, Uint8Array>): ApiRequest {
  const settings = readCallSettings(request.settings);
  const names = toolNames(request);
  const { messages, leftOut } = writeChat({
    messages: request.messages,
    files,
    names,
    tooLarge: picturesTooLarge(request.messages, files, openaiPictures),
    provider: 'openai',
    thinking: 'none',
    takesPrefix: false,
  });
  return {
    options: {
      ...commonOptions(request, settings, names, []),
      ...knownLimit(request.maxTokens),
      providerOptions: joinOptions(settings, { store: false, promptCacheKey: request.root.slice(-64) }),
    },
    exact: standIn({ role: 'user', content: standInText }, messages),
    leftOut,
    toolName: (name) => names.fromWire(name),
  };
}

export function toolNames({ tools }: ProviderRequest): ToolNames {
  return new ToolNames(
    tools.map(({ name }) => name),
    longestToolName,
  );
}

/** Returns the options that all APIs in the shape of OpenAI's share. */
export function commonOptions(
  { model, tools, systemPrompt }: ProviderRequest,
  settings: CallSettings,
  names: ToolNames,
  more: NonNullable<LanguageModelV4CallOptions['tools']>,
): LanguageModelV4CallOptions {
  const offered = [...more, ...tools.map((tool) => functionTool(tool, names))];
  const { reasoning } = settings;
  const isSaid = systemPrompt !== undefined && !isBlank(systemPrompt);
  return {
    prompt: [...(isSaid ? [{ role: 'system' as const, content: systemPrompt.toWellFormed() }] : []), sdkStandIn],
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...sampling(settings),
    ...(reasoning === undefined ? {} : { reasoning: effortOf(reasoning, model) }),
  };
}

/** The message that the SDK gets in place of the conversation. */
const standInText = 'loom-exact-messages';
const sdkStandIn: LanguageModelV4Prompt[number] = { role: 'user', content: [{ type: 'text', text: standInText }] };

/** Maps the SDK's spelling of the stand-in to the actual items. */
function standIn(written: unknown, items: readonly string[]): ReadonlyMap<string, string> {
  const exact = new ExactValues();
  exact.replace(written, items.join(','));
  return exact.values;
}

/** Returns the replacement of the SDK's single chat-completions message. */
export function chatStandIn(messages: readonly string[]): ReadonlyMap<string, string> {
  return standIn({ role: 'user', content: standInText }, messages);
}

type Reasoning = NonNullable<CallSettings['reasoning']>;

function isOff(reasoning: Reasoning): boolean {
  return reasoning === 'off' || reasoning === 0;
}

/** These APIs know only words; a budget of tokens becomes the nearest. */
function effortOf(reasoning: Reasoning, model: string): Effort {
  if (isOff(reasoning) || reasoning === 'off') return leastEffort(model);
  if (typeof reasoning !== 'number') return reasoning;
  if (reasoning <= 2048) return 'low';
  return reasoning <= 8192 ? 'medium' : 'high';
}

type Effort = NonNullable<LanguageModelV4CallOptions['reasoning']>;

/**
 * Models that always think are asked to think least (https://platform.openai.com/docs/guides/reasoning); a router has the vendor before their names.
 */
function leastEffort(model: string): Effort {
  const name = model.slice(model.lastIndexOf('/') + 1);
  return leastEfforts.find(([names]) => names.test(name))?.[1] ?? 'none';
}

const leastEfforts: readonly (readonly [RegExp, Effort])[] = [
  [/^o\d/, 'low'],
  [/^gpt-oss/, 'low'],
  [/^gpt-5-pro/, 'high'],
  [/^gpt-5[.-]\d+-pro/, 'medium'],
  [/^gpt-5.*codex/, 'low'],
  [/^gpt-5(?:$|-(?:mini|nano|\d{4}-))/, 'minimal'],
];

const ownTools = {
  web_search: { type: 'provider' as const, id: 'openai.web_search' as const, name: 'web_search', args: {} },
  code_execution: {
    type: 'provider' as const,
    id: 'openai.code_interpreter' as const,
    name: 'code_interpreter',
    args: {},
  },
};

function providerTools({ providerTools: wanted = [] }: CallSettings): {
  offered: NonNullable<LanguageModelV4CallOptions['tools']>;
  leftOut: LeftOut[];
} {
  const isMissing = wanted.includes('web_fetch') && !wanted.includes('web_search');
  return {
    offered: wanted.flatMap((name) => (name === 'web_fetch' ? [] : [ownTools[name]])),
    leftOut: isMissing ? [{ what: 'tool', why: 'OpenAI opens pages only as a part of web_search.' }] : [],
  };
}

function joinOptions(
  { providerOptions }: CallSettings,
  own: Record<string, string | boolean>,
): NonNullable<LanguageModelV4CallOptions['providerOptions']> {
  return { ...providerOptions, openai: { ...own, ...providerOptions?.openai } };
}

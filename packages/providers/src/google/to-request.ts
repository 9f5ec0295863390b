import { isBlank, isPlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ApiRequest } from '../api/api.ts';
import { ExactValues } from '../api/wire/exact-values.ts';
import { functionTool } from '../api/request/function-tool.ts';
import { ignoredSetting } from '../api/request/left-out.ts';
import { googlePictures, picturesTooLarge } from '../api/request/picture-limits.ts';
import { knownLimit, readCallSettings, sampling } from '../api/request/settings.ts';
import type { CallSettings } from '../api/request/settings.ts';
import { ToolNames } from '../api/request/tool-names.ts';
import { isJsonObject } from './json-object.ts';
import { isGemini3, isThinking } from './models.ts';
import { writeContents } from './native-contents.ts';
import { thinkingOptions } from './thinking.ts';
import { toGeminiSchema } from './tool-schema.ts';

/** Converts a request for the Gemini API. Pure. */
export function toRequest(request: ProviderRequest, files: ReadonlyMap<string, Uint8Array>): ApiRequest {
  const { model, messages, maxTokens } = request;
  const settings = readCallSettings(request.settings);
  const names = new ToolNames(
    request.tools.map(({ name }) => name),
    64,
  );
  const tooLarge = picturesTooLarge(messages, files, googlePictures);
  const { json, leftOut } = writeContents({ model, messages, files, names, tooLarge });
  const exact = new ExactValues();
  exact.replace([standIn], json);
  const tools = toolsOf(request, settings, names);
  const asksToThink = settings.reasoning !== undefined && settings.reasoning !== 'off' && settings.reasoning !== 0;
  const ignored = asksToThink && !isThinking(model) ? [ignoredSetting(model, 'reasoning')] : [];
  return {
    options: {
      prompt: [...systemOf(request), sdkStandIn],
      ...knownLimit(maxTokens),
      ...sampling(settings),
      ...tools.options,
      providerOptions: { google: optionsOf(model, settings, maxTokens) },
    },
    exact: exact.values,
    leftOut: [...leftOut, ...tools.leftOut, ...ignored],
    toolName: (name) => names.fromWire(name),
  };
}

/** The message that the SDK gets in place of the conversation, and the form in which it writes it. */
const standInText = 'loom-exact-contents';
const sdkStandIn: LanguageModelV4Prompt[number] = { role: 'user', content: [{ type: 'text', text: standInText }] };
const standIn = { role: 'user', parts: [{ text: standInText }] };

function systemOf({ systemPrompt }: ProviderRequest): LanguageModelV4Prompt {
  if (systemPrompt === undefined || isBlank(systemPrompt)) return [];
  return [{ role: 'system', content: systemPrompt.toWellFormed() }];
}

const providerTools = {
  web_search: { id: 'google.google_search', name: 'google_search', args: {} },
  web_fetch: { id: 'google.url_context', name: 'url_context', args: {} },
  code_execution: { id: 'google.code_execution', name: 'code_execution', args: {} },
} as const;

/** Before Gemini 3 a request has functions or Google's own tools, not both: Loom's tools win, since the conversation works with them. */
function toolsOf(
  { tools, model }: ProviderRequest,
  settings: CallSettings,
  names: ToolNames,
): { options: Pick<LanguageModelV4CallOptions, 'tools'>; leftOut: ApiRequest['leftOut'] } {
  const wanted = settings.providerTools ?? [];
  const own = tools.length === 0 || isGemini3(model) ? wanted : [];
  const leftOut = wanted
    .filter((name) => !own.includes(name))
    .map((name) => ({ what: 'tool' as const, why: `${model} cannot use ${name} beside other tools.` }));
  const offered = [
    ...own.map((name) => ({ type: 'provider' as const, ...providerTools[name] })),
    ...tools.map((tool) => functionTool({ ...tool, parameters: toGeminiSchema(tool.parameters) }, names)),
  ];
  return { options: offered.length === 0 ? {} : { tools: offered }, leftOut };
}

function optionsOf(model: string, { reasoning, providerOptions }: CallSettings, limit: number | undefined) {
  const given = isPlainObject(providerOptions?.google) ? providerOptions.google : {};
  const options = { ...thinkingOptions(model, reasoning, limit), ...given };
  if (isJsonObject(options)) return options;
  throw new Error('the setting providerOptions.google holds something that JSON cannot');
}

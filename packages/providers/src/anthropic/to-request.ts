import { isBlank } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ApiRequest, LeftOut } from '../api/api.ts';
import { ExactValues } from '../api/wire/exact-values.ts';
import { functionTool } from '../api/request/function-tool.ts';
import { ignoredSetting } from '../api/request/left-out.ts';
import { anthropicPictures, picturesTooLarge } from '../api/request/picture-limits.ts';
import { outputLimit, readCallSettings, sampling } from '../api/request/settings.ts';
import type { CallSettings } from '../api/request/settings.ts';
import { ToolNames } from '../api/request/tool-names.ts';
import { diagnosticsField } from './cache-diagnostics.ts';
import { writeMessages } from './native-messages.ts';
import type { NativeConversation } from './native-messages.ts';
import { bindsThoughts, boundThinking, takesPrefix, thinkingManner, thinkingOptions } from './thinking.ts';

/** Converts a request for the Messages API. Pure. */
export function toRequest(
  request: ProviderRequest,
  files: ReadonlyMap<string, Uint8Array>,
  isPaused = false,
): ApiRequest {
  const { model, messages, maxTokens } = request;
  const settings = readCallSettings(request.settings);
  const names = new ToolNames(
    request.tools.map(({ name }) => name),
    128,
  );
  const isThinking = typeof settings.reasoning === 'number' ? settings.reasoning > 0 : isWordForThinking(settings);
  // Continuing an answer cannot be combined with a thinking budget.
  const tooLarge = picturesTooLarge(messages, files, anthropicPictures);
  const scope = { messages, files, names, tooLarge, takesPrefix: takesPrefix(model) && !isThinking, isPaused };
  const conversation = writeMessages(scope);
  const reasoning = reasoningOf(settings, model, conversation);
  const { providerOptions, ...thinking } = thinkingOptions(model, reasoning, outputLimit(maxTokens));
  const isBound = settings.blockBinding ?? bindsThoughts(model);
  const isBindable = isBound && thinkingManner(model) === 'effort';
  const own = isBindable ? boundThinking(model, reasoning) : providerOptions;
  const exact = new ExactValues();
  const asked = settings.cacheDiagnostics === true ? `,${diagnosticsField(request)}` : '';
  // A request field follows the messages here because the SDK does not know it.
  exact.replace([standIn], conversation.json + asked);
  const leftOut: LeftOut[] = [...conversation.leftOut];
  if (reasoning !== settings.reasoning) {
    leftOut.push({ what: 'thinking', why: 'Thinking is off for this answer: the one before it was made without.' });
  }
  if (isThinking && thinkingManner(model) === 'none') leftOut.push(ignoredSetting(model, 'reasoning'));
  return {
    options: {
      prompt: [...systemOf(request), sdkStandIn],
      ...toolsOf(request, settings, conversation, names),
      ...sampling(settings),
      ...thinking,
      providerOptions: joinOptions(own, settings.providerOptions),
    },
    exact: exact.values,
    leftOut,
    toolName: (name) => names.fromWire(name),
  };
}

/** The message that the SDK gets in place of the conversation, and the form in which it writes it. */
const standInText = 'loom-exact-messages';
const sdkStandIn: LanguageModelV4Prompt[number] = { role: 'user', content: [{ type: 'text', text: standInText }] };
const standIn = { role: 'user', content: [{ type: 'text', text: standInText }] };

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Returns the prompt, marked: everything up to here, the tools included, is kept in the cache. */
function systemOf({ systemPrompt }: ProviderRequest): LanguageModelV4Prompt {
  if (systemPrompt === undefined || isBlank(systemPrompt)) return [];
  return [{ role: 'system', content: systemPrompt.toWellFormed(), providerOptions: cached }];
}

function isWordForThinking({ reasoning }: CallSettings): boolean {
  return reasoning !== undefined && reasoning !== 'off';
}

function reasoningOf(
  { reasoning }: CallSettings,
  model: string,
  { lacksThinking }: NativeConversation,
): CallSettings['reasoning'] {
  return lacksThinking && thinkingManner(model) === 'budget' && reasoning !== undefined ? 'off' : reasoning;
}

const providerTools = {
  web_search: { id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 8 } },
  web_fetch: {
    id: 'anthropic.web_fetch_20250910',
    name: 'web_fetch',
    args: { maxUses: 8, citations: { enabled: true } },
  },
  code_execution: { id: 'anthropic.code_execution_20250825', name: 'code_execution', args: {} },
} as const;

function toolsOf(
  { tools, systemPrompt }: ProviderRequest,
  settings: CallSettings,
  { calledTools }: NativeConversation,
  names: ToolNames,
): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  const own = (settings.providerTools ?? []).map((name) => ({ type: 'provider' as const, ...providerTools[name] }));
  const isBare = systemPrompt === undefined || isBlank(systemPrompt);
  const offered = tools.map((tool, index) => ({
    ...functionTool(tool, names),
    ...(isBare && index === tools.length - 1 ? { providerOptions: cached } : {}),
  }));
  if (offered.length + own.length > 0) return { tools: [...own, ...offered] };
  if (calledTools.size === 0) return {};
  // A conversation with calls is refused without tools.
  const absent = [...calledTools].sort().map((name) => {
    return functionTool({ name, description: 'It is not available now.', parameters: {} }, names);
  });
  return { tools: absent, toolChoice: { type: 'none' } };
}

function joinOptions(
  own: LanguageModelV4CallOptions['providerOptions'],
  given: CallSettings['providerOptions'],
): NonNullable<LanguageModelV4CallOptions['providerOptions']> {
  return { ...given, anthropic: { ...own?.anthropic, ...given?.anthropic } };
}

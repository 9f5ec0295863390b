import type { ProviderRequest } from '@loom/kernel';
import type { ApiRequest } from '../api/api.ts';
import { anthropicPictures, picturesTooLarge } from '../api/request/picture-limits.ts';
import { knownLimit, readCallSettings } from '../api/request/settings.ts';
import { writeChat } from '../openai/native-chat.ts';
import { chatStandIn, commonOptions, toolNames } from '../openai/to-request.ts';
import type { ServerHabits } from './habits.ts';

/** Converts a request for a server that speaks OpenAI's chat completions. Pure. */
export function toCompatibleRequest(
  { name, baseURL }: { name: string; baseURL: string },
  { thinking, takesPrefix }: ServerHabits,
  request: ProviderRequest,
  files: ReadonlyMap<string, Uint8Array>,
): ApiRequest {
  const settings = readCallSettings(request.settings);
  const names = toolNames(request);
  const marksCache = takesCacheMarks(baseURL, request.model);
  const { systemPrompt, ...unprompted } = request;
  const { messages, leftOut } = writeChat({
    messages: request.messages,
    files,
    names,
    provider: name,
    thinking,
    takesPrefix,
    // The SDK writes a prompt as a text, which has no place for a mark.
    ...(marksCache ? { marksCache, ...(systemPrompt === undefined ? {} : { systemPrompt }) } : {}),
    ...(marksCache ? { tooLarge: picturesTooLarge(request.messages, files, anthropicPictures) } : {}),
  });
  const { topK, providerOptions = {} } = settings;
  // The SDK does not know `top_k`; all of these servers do. It passes on options that it does not know.
  const known = { ...(topK === undefined ? {} : { top_k: topK }), ...providerOptions[name] };
  return {
    options: {
      ...commonOptions(marksCache ? unprompted : request, settings, names, []),
      ...knownLimit(request.maxTokens),
      providerOptions: { ...providerOptions, [sdkName]: known },
    },
    exact: chatStandIn(messages),
    leftOut,
    toolName: (wire) => names.fromWire(wire),
  };
}

/** Anthropic caches only the marked part: https://openrouter.ai/docs/features/prompt-caching#anthropic-claude */
function takesCacheMarks(baseURL: string, model: string): boolean {
  return URL.parse(baseURL)?.hostname === 'openrouter.ai' && /^~?anthropic\//.test(model);
}

/** The name under which the SDK finds the options of the server. */
export const sdkName = 'loom';

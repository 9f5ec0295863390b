import type { ProviderRequest } from '@loom/kernel';
import type { ApiRequest } from '../api/api.ts';
import { outputLimit, readCallSettings } from '../api/request/settings.ts';
import { writeChat } from '../openai/native-chat.ts';
import { chatStandIn, commonOptions, toolNames } from '../openai/to-request.ts';
import type { ServerHabits } from './habits.ts';

/** What a request becomes for a server in the shape of OpenAI's chat completions. Pure. */
export function toCompatibleRequest(
  name: string,
  { thinking, takesPrefix }: ServerHabits,
  request: ProviderRequest,
  files: ReadonlyMap<string, Uint8Array>,
): ApiRequest {
  const settings = readCallSettings(request.settings);
  const names = toolNames(request);
  const { messages, leftOut } = writeChat({
    messages: request.messages,
    files,
    names,
    provider: name,
    thinking,
    takesPrefix,
  });
  const { topK, providerOptions = {} } = settings;
  // The SDK does not know `top_k`; all of these servers do. What it does not know it passes on.
  const known = { ...(topK === undefined ? {} : { top_k: topK }), ...providerOptions[name] };
  return {
    options: {
      ...commonOptions(request, settings, names, []),
      maxOutputTokens: outputLimit(request.maxTokens),
      providerOptions: { ...providerOptions, [sdkName]: known },
    },
    exact: chatStandIn(messages),
    leftOut,
    toolName: (wire) => names.fromWire(wire),
  };
}

/** By what name the SDK finds the options of the server. */
export const sdkName = 'loom';

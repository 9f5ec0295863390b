import type { Provider } from '@loom/kernel';
import type { Api, ApiDependencies } from '../api/api.ts';
import { createApiProvider } from '../api/api-provider.ts';
import { askForModels } from '../api/model-lists.ts';
import { createChatReader } from './chat-reader.ts';
import { endAtDone } from './done-mark.ts';
import { openaiModels } from './model-list.ts';
import { describeNative } from './native-calls.ts';
import { createResponsesReader } from './responses-reader.ts';
import { toChatRequest, toResponsesRequest } from './to-request.ts';

/** The default choice between OpenAI's two APIs, for models whose name does not say it: `chat/gpt-4o`. */
export interface OpenAISettings {
  api?: 'responses' | 'chat';
}

/** Creates the provider of OpenAI's models, by the Responses API or by chat completions. */
export function createOpenAIProvider(dependencies: ApiDependencies, settings: OpenAISettings = {}): Provider {
  const responses = createApiProvider(responsesApi, dependencies);
  const chat = createApiProvider(chatApi, dependencies);
  return {
    id: responses.id,
    offers: () => askForModels(openaiModels, { ...dependencies, id: responses.id, keyless: false }),
    stream: (request, call) => (isByChat(request.model, settings) ? chat : responses).stream(request, call),
  };
}

const chatPrefix = 'chat/';

/** Models that search or speak exist only in chat completions: https://platform.openai.com/docs/models */
function isByChat(model: string, { api = 'responses' }: OpenAISettings): boolean {
  return api === 'chat' || model.startsWith(chatPrefix) || /-(search|audio)-preview/.test(model);
}

export const responsesApi: Api = {
  id: 'openai',
  models: openaiModels,
  toRequest: toResponsesRequest,
  hasProviderTools: (model) => !/^(?:gpt-3|gpt-4(?:$|-)|gpt-oss|o1-mini)|-nano/u.test(model),
  rawReader: createResponsesReader,
  describeResult: describeNative,
  async model(name, { fetch, key = '', baseURL }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ apiKey: key, fetch, ...(baseURL === undefined ? {} : { baseURL }) }).responses(name);
  },
};

export const chatApi: Api = {
  id: 'openai',
  models: openaiModels,
  toRequest: toChatRequest,
  rawReader: () => createChatReader({ provider: 'openai', hasThinkTags: false }),
  async model(name, { fetch, key = '', baseURL }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const model = name.startsWith(chatPrefix) ? name.slice(chatPrefix.length) : name;
    const chatFetch = endAtDone(fetch);
    return createOpenAI({ apiKey: key, fetch: chatFetch, ...(baseURL === undefined ? {} : { baseURL }) }).chat(model);
  },
};

import type { Provider } from '@loom/kernel';
import type { Api, ApiDependencies } from '../api/api.ts';
import { createApiProvider } from '../api/api-provider.ts';
import { createChatReader } from '../openai/chat-reader.ts';
import { endAtDone } from '../openai/done-mark.ts';
import { openaiModels } from '../openai/model-list.ts';
import type { ThinkingForm } from '../openai/native-chat.ts';
import { habitsOf } from './habits.ts';
import type { ServerHabits } from './habits.ts';
import { sdkName, toCompatibleRequest } from './to-request.ts';
import { readWholeAnswers } from './whole-answers.ts';

/** A server, and the habits that its address does not reveal. */
export interface CompatibleSettings extends Partial<ServerHabits> {
  /** Returns the form in which the server wants the thoughts of one of its models back, if that model is an exception. */
  thinkingOf?: (model: string) => ThinkingForm | undefined;
  /** The prefix of its models, such as `ollama` in `ollama/qwen3`. */
  name: string;
  /** Up to and including `/v1`. */
  baseURL: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** Creates a provider for the models of a server that speaks OpenAI's chat completions. It needs a key only if the server does. */
export function createCompatibleProvider(settings: CompatibleSettings, dependencies: ApiDependencies): Provider {
  return createApiProvider(compatibleApi(settings), { ...dependencies, baseURL: settings.baseURL });
}

function compatibleApi({ name, baseURL, headers, thinkingOf, ...given }: CompatibleSettings): Api {
  const habitsFor = (model: string): ServerHabits => {
    const thinking = thinkingOf?.(model);
    return { ...habitsOf(baseURL, model), ...given, ...(thinking === undefined ? {} : { thinking }) };
  };
  return {
    id: name,
    models:
      headers === undefined
        ? openaiModels
        : { ...openaiModels, headers: (key) => ({ ...openaiModels.headers(key), ...headers }) },
    keyless: true,
    toRequest: (request, files) => toCompatibleRequest({ name, baseURL }, habitsFor(request.model), request, files),
    takesPrefix: (model) => habitsFor(model).takesPrefix,
    rawReader: () => createChatReader({ provider: name, hasThinkTags: true }),
    async model(model, { fetch, key }) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const create = createOpenAICompatible({
        name: sdkName,
        baseURL,
        fetch: endAtDone(readWholeAnswers(fetch)),
        includeUsage: true,
        ...(key === undefined ? {} : { apiKey: key }),
        ...(headers === undefined ? {} : { headers }),
      });
      return create.chatModel(model);
    },
  };
}

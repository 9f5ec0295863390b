import type { Provider } from '@loom/kernel';
import type { Api, ApiDependencies } from '../api/api.ts';
import { createApiProvider } from '../api/api-provider.ts';
import { withLeadIn } from './lead-in.ts';
import { anthropicModels } from './model-list.ts';
import { createRawReader, describeResult } from './raw-reader.ts';
import { takesPrefix } from './thinking.ts';
import { toRequest } from './to-request.ts';

/** Creates the provider of Claude, by Anthropic's Messages API. */
export function createAnthropicProvider(dependencies: ApiDependencies): Provider {
  return createApiProvider(anthropicApi, dependencies);
}

export const anthropicApi: Api = {
  id: 'anthropic',
  toRequest,
  takesPrefix,
  // Those before Claude 3.5 have none.
  hasProviderTools: (model) => !/claude-(?:instant|2|3-(?:opus|sonnet|haiku))/u.test(model),
  models: anthropicModels,
  isPause: (reason) => reason === 'pause_turn',
  rawReader: createRawReader,
  describeResult,
  async model(name, { fetch, key = '', baseURL }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ apiKey: key, fetch: withLeadIn(fetch), ...(baseURL === undefined ? {} : { baseURL }) })(
      name,
    );
  },
};

import type { Provider } from '@loom/kernel';
import { createApiProvider } from '../api/api-provider.ts';
import type { Api, ApiDependencies, ProviderResult } from '../api/api.ts';
import { ChunkReader } from './chunk-reader.ts';
import { keepArguments } from './exact-calls.ts';
import { googleModels } from './model-list.ts';
import { toRequest } from './to-request.ts';

/** The models of Google's Gemini API. */
export function createGoogleProvider(dependencies: ApiDependencies): Provider {
  return createApiProvider(google, dependencies);
}

const google: Api = {
  id: 'google',
  models: googleModels,
  toRequest,
  hasProviderTools: (model) => /gemini-(?:[2-9]|\d\d|flash|pro)/u.test(model),
  async model(name, { fetch, key, baseURL }) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({
      fetch: keepArguments(fetch),
      ...(key === undefined ? {} : { apiKey: key }),
      ...(baseURL === undefined ? {} : { baseURL }),
    })(name);
  },
  rawReader(request) {
    const reader = new ChunkReader(request);
    return (chunk) => reader.read(chunk);
  },
  describeResult,
};

/** Returns the output of code that Google has run; the results of its other tools unchanged. */
function describeResult({ result }: ProviderResult): string {
  if (typeof result !== 'object' || result === null) return String(result);
  const output: unknown = Reflect.get(result, 'output');
  return typeof output === 'string' ? output : JSON.stringify(Reflect.get(result, 'response') ?? result);
}

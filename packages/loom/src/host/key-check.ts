import type { KeyCheck } from '@loom/kernel';
import { fetchFor } from '../models/own-requests.ts';
import type { ProviderSetup } from '../models/provider-setup.ts';

/** The longest time for a provider to accept or refuse a key, in milliseconds. */
const patience = 10_000;

/** Asks a provider for something that costs nothing and needs a valid key. Nothing of its answer is repeated: that may hold the key. */
export async function checkKey(setup: ProviderSetup, key: string | undefined): Promise<KeyCheck> {
  const { name } = setup;
  try {
    const { url, headers } = requestFor(setup, key);
    // A provider that sends its callers elsewhere does not get to see where the key goes.
    const init = { headers, redirect: 'manual', signal: AbortSignal.timeout(patience) } as const;
    const answer = await fetchFor(setup)(url, init);
    const body = answer.ok ? '' : await answer.text();
    return judge(name, answer.status, body);
  } catch {
    return unknown(`${name} does not answer.`);
  }
}

function judge(name: string, status: number, body: string): KeyCheck {
  if (status >= 200 && status < 300) return { state: 'works', message: `${name} takes the key.` };
  // Google answers 400 to a key that it does not know.
  const isRefused = status === 401 || status === 403 || (status === 400 && /API[_ ]key/iu.test(body));
  if (isRefused) return { state: 'wrong', message: `${name} does not take the key.` };
  return unknown(`${name} answers with status ${status}, which does not say whether it takes the key.`);
}

function unknown(why: string): KeyCheck {
  return { state: 'unknown', message: `${why} Whether the key is right shows when a model is asked.` };
}

function requestFor(
  { name, kind, baseURL }: ProviderSetup,
  key: string | undefined,
): { url: string; headers: Record<string, string> } {
  const bearer: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  switch (kind) {
    case 'anthropic':
      return {
        url: `${baseURL ?? 'https://api.anthropic.com/v1'}/models?limit=1`,
        headers: { 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) },
      };
    case 'google':
      return {
        url: `${baseURL ?? 'https://generativelanguage.googleapis.com/v1beta'}/models?pageSize=1`,
        headers: key === undefined ? {} : { 'x-goog-api-key': key },
      };
    case 'openai':
    case 'openai-chat':
    case 'chatgpt':
      return { url: `${baseURL ?? 'https://api.openai.com/v1'}/models`, headers: bearer };
    case 'compatible':
      // OpenRouter lists its models to everyone.
      return { url: `${baseURL ?? ''}/${name === 'openrouter' ? 'key' : 'models'}`, headers: bearer };
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnthropicProvider } from '../anthropic/index.ts';
import { createCompatibleProvider } from '../compatible/index.ts';
import { createGoogleProvider } from '../google/index.ts';
import { createOpenAIProvider } from '../openai/index.ts';
import { collectEvents, requestSaying } from '../testing/streams.ts';

const clock = { now: () => 0, after: () => () => {} };

test('[PV70] a model without the tools of its provider says so, and is not asked without them', async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (address) => {
    asked.push(JSON.stringify(address));
    throw new TypeError('nothing is to be asked');
  };
  const dependencies = { clock, random: () => 0, key: async () => 'key', fetch };
  const providers = [
    [createAnthropicProvider(dependencies), 'claude-3-opus-20240229'],
    [createOpenAIProvider(dependencies), 'gpt-oss-20b'],
    [createOpenAIProvider(dependencies, { api: 'chat' }), 'gpt-5'],
    [createGoogleProvider(dependencies), 'gemma-3-27b-it'],
    [createCompatibleProvider({ name: 'local', baseURL: 'http://127.0.0.1:1/v1' }, dependencies), 'qwen3'],
  ] as const;
  for (const [provider, model] of providers) {
    const request = requestSaying('news?', { model, settings: { providerTools: ['web_search'] } });
    const [, failed] = await collectEvents(provider, request);
    assert.ok(failed?.type === 'call-error');
    assert.equal(failed.error.code, 'invalid-request');
    assert.match(failed.error.message, new RegExp(`^${model} of .* has no web_search\\. Switch it off`, 'u'));
  }
  assert.deepEqual(asked, []);
});

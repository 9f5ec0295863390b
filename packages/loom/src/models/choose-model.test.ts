import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCatalogue } from '@loom/providers/catalogue';
import { Config } from '../config/schema.ts';
import { LoomError } from '../command-line/failure.ts';
import { chooseModel, usualModel, type ModelScope } from './choose-model.ts';
import { setUpProviders } from './provider-setup.ts';

const catalogue = await loadCatalogue({ now: () => Date.parse('2026-11-01') });

function scopeWith(providers: Config['providers']): ModelScope {
  const empty = {
    defaults: { maxTokens: 1, n: 1, compact: 'auto' },
    limits: {},
    models: {},
    presets: {},
    bookmarks: [],
    mcp_servers: [],
  };
  return { setups: setUpProviders(Config.parse({ ...empty, providers })), catalogue };
}

const key = { apiKey: 'k' };

function refusalOf(name: string, scope: ModelScope): { code: string; message: string; advice: string } {
  try {
    chooseModel(name, scope);
  } catch (error) {
    if (!(error instanceof LoomError)) throw error;
    return { code: String(error.code), message: error.message, advice: error.advice ?? '' };
  }
  return assert.fail(`${name} was chosen`);
}

test('[MO10] a model is named with its provider, by its provider alone, or alone', () => {
  const scope = scopeWith({
    anthropic: key,
    openrouter: key,
    local: { baseURL: 'http://127.0.0.1:1/v1', models: ['tiny:1b'] },
  });
  const names: [given: string, chosen: string][] = [
    ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['anthropic:claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    // A dated name that the catalogue knows by its pattern.
    ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4-5-20251001'],
    ['anthropic', 'anthropic/claude-sonnet-5'],
    ['openrouter/anthropic/claude-sonnet-5', 'openrouter/anthropic/claude-sonnet-5'],
    ['openrouter', 'openrouter/anthropic/claude-sonnet-5'],
    ['tiny:1b', 'local/tiny:1b'],
    ['local/tiny:1b', 'local/tiny:1b'],
    ['local', 'local/tiny:1b'],
    ['demo', 'demo'],
    ['slow', 'demo:slow'],
  ];
  for (const [given, name] of names) {
    const chosen = chooseModel(given, scope);
    assert.deepEqual([chosen.name, chosen.remark], [name, undefined], given);
  }
  const twice = scopeWith({
    one: { baseURL: 'http://a/v1', models: ['m'] },
    two: { baseURL: 'http://b/v1', models: ['m'] },
  });
  assert.deepEqual(refusalOf('m', twice), {
    code: 'ambiguous-model',
    message: 'm is a model of one and of two',
    advice: 'Name the provider: one/m',
  });
});

test('[MO11] a model that no list has is tried, with a remark that names the nearest', () => {
  const scope = scopeWith({ anthropic: key });
  const chosen = chooseModel('anthropic/claude-sonet-5', scope);
  assert.deepEqual([chosen.provider, chosen.model], ['anthropic', 'claude-sonet-5']);
  assert.match(chosen.remark ?? '', /it is used as given\. Did you mean anthropic\/claude-sonnet-5\?$/);
  assert.match(chooseModel('anthropic/zebra', scope).remark ?? '', /it is used as given\.$/);
  // Nothing is known of this server, so nothing is odd about a name.
  const own = scopeWith({ own: { baseURL: 'http://127.0.0.1:1/v1' } });
  assert.equal(chooseModel('own/whatever', own).remark, undefined);
});

test('[MO12] without a name the usual model of the first provider with a key answers', () => {
  assert.equal(usualModel(scopeWith({})), undefined);
  assert.equal(usualModel(scopeWith({ google: key, openai: key }))?.provider, 'openai');
  assert.equal(usualModel(scopeWith({ own: { baseURL: 'http://a/v1', models: ['m'] } }))?.name, 'own/m');
  // A server of which no model is known cannot be a default.
  assert.equal(usualModel(scopeWith({ own: { baseURL: 'http://a/v1' } })), undefined);
});

test('[MO13] what cannot be used is refused with the next step', () => {
  const scope = scopeWith({ openrouter: key, half: { apiKey: 'k' } });
  assert.deepEqual(refusalOf('google/gemini-3.8-flash', scopeWith({})), {
    code: 'no-key',
    message: 'there is no key for google',
    advice: 'Set GOOGLE_API_KEY, or: loom config set providers.google.apiKey -',
  });
  // Another provider has the same model.
  assert.match(refusalOf('anthropic/claude-sonnet-5', scope).advice, /Or use openrouter\/anthropic\/claude-sonnet-5/);
  assert.equal(refusalOf('claude-sonnet-5', scope).code, 'no-key');
  assert.deepEqual(refusalOf('half/x', scope), {
    code: 'no-address',
    message: 'it is not said where half is reached',
    advice: 'Set it: loom config set providers.half.baseURL https://…',
  });
  const nearest: [string, RegExp][] = [
    ['antropic/claude-sonnet-5', /Did you mean anthropic\/claude-sonnet-5\?/],
    ['claude-sonet-5', /Did you mean anthropic\/claude-sonnet-5\?/],
    ['gpt5', /Did you mean openai\/gpt-5\?/],
    ['demo:slwo', /Did you mean demo:slow\?/],
    ['slwo', /Did you mean demo:slow\?/],
    ['opnai', /Did you mean openai\?/],
    ['zebra', /loom models lists/],
    ['', /loom models lists/],
  ];
  for (const [name, advice] of nearest) {
    const refusal = refusalOf(name, scope);
    assert.equal(refusal.code, 'unknown-model');
    assert.match(refusal.advice, advice, name);
  }
});

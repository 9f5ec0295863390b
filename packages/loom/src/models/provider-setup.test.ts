import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Config } from '../config/schema.ts';
import { setUpProviders, type ProviderSetup } from './provider-setup.ts';

function setUp(name: string, given: Config['providers'][string]): ProviderSetup | undefined {
  const empty = {
    defaults: { maxTokens: 1, n: 1, compact: 'auto' },
    limits: {},
    models: {},
    presets: {},
    bookmarks: [],
    mcp_servers: [],
  };
  return setUpProviders(Config.parse({ ...empty, providers: { [name]: given } })).find((setup) => setup.name === name);
}

test('[MO23] addresses work with and without the version of the API', () => {
  const addresses: [name: string, given: string, used: string][] = [
    ['anthropic', 'http://a', 'http://a/v1'],
    ['anthropic', 'http://a/', 'http://a/v1'],
    ['anthropic', 'http://a/v1', 'http://a/v1'],
    ['anthropic', 'http://a/claude', 'http://a/claude/v1'],
    ['openai', 'http://a', 'http://a/v1'],
    ['openai', 'http://a/v1/', 'http://a/v1'],
    ['openai', 'http://a/openai/deployments', 'http://a/openai/deployments'],
    ['google', 'http://a', 'http://a/v1beta'],
    ['google', 'http://a/v1beta', 'http://a/v1beta'],
    ['google', 'http://a/v1', 'http://a/v1'],
    ['own', 'http://127.0.0.1:8000', 'http://127.0.0.1:8000/v1'],
  ];
  for (const [name, baseURL, used] of addresses) assert.equal(setUp(name, { baseURL })?.baseURL, used, baseURL);
  assert.equal(setUp('anthropic', {})?.baseURL, undefined);
});

test('[MO25] a name and a password in an address become a header, its query goes along with each request, and neither is in the address any more', () => {
  const setup = setUp('own', {
    baseURL: 'https://me:p%40ss-word@a.example/openai/?api-version=2024-10-21&sig=signature',
  });
  assert.equal(setup?.baseURL, 'https://a.example/openai');
  assert.equal(setup.query, 'api-version=2024-10-21&sig=signature');
  assert.deepEqual(setup.headers, { authorization: `Basic ${Buffer.from('me:p@ss-word').toString('base64')}` });
  assert.equal(setup.password, 'p@ss-word');
  // A header that is set by its name counts more.
  const both = setUp('own', { baseURL: 'https://me:word@a.example', headers: { authorization: 'Bearer x' } });
  assert.deepEqual(both?.headers, { authorization: 'Bearer x' });
  assert.deepEqual(setUp('own', { baseURL: 'http://no address' })?.hindrance, {
    code: 'no-address',
    message: 'the address that is set for own is no web address',
    advice: 'Set it: loom config set providers.own.baseURL https://…',
  });
});

test('[MO20] a key in the configuration counts more than a program that prints one', () => {
  const both = { apiKey: 'k', key_command: 'print' };
  assert.deepEqual(setUp('anthropic', both)?.key, { type: 'value', value: 'k' });
  assert.deepEqual(setUp('anthropic', { key_command: ['a', 'b'] })?.key, { type: 'command', command: ['a', 'b'] });
  assert.deepEqual(setUp('anthropic', {})?.hindrance?.code, 'no-key');
  // A user's own server may need none.
  assert.equal(setUp('own', { baseURL: 'http://a' })?.hindrance, undefined);
  assert.equal(setUp('own', { baseURL: 'http://a', kind: 'anthropic' })?.hindrance?.code, 'no-key');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../../tool.ts';
import { echoTool } from '../../testing/world.ts';
import { whyNotOffer } from './tool-offers.ts';
import type { OfferScope } from './tool-offers.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ ...echoTool(name), ...more });
const tools = [
  tool('ask'),
  tool('read', { needsFolder: true }),
  tool('edit', { needsFolder: true, family: 'other' }),
  tool('apply_patch', { needsFolder: true, family: 'gpt' }),
  tool('exit_plan', { modes: ['plan'] }),
  tool('block_edit', { group: 'forest', forDrafts: true }),
  tool('kernel_search', { group: 'forest' }),
  tool('pretend', { madeFor: 'demo' }),
];

const why = (scope: OfferScope) =>
  Object.fromEntries(tools.map((each) => [each.name, whyNotOffer(each, tools, scope)]));
const offered = (scope: OfferScope) =>
  tools.filter((each) => whyNotOffer(each, tools, scope) === undefined).map(({ name }) => name);
const folder = { provider: 'anthropic', model: 'claude-sonnet-5', directory: '/work' };

test('[TU130] a folder, a mode, a family of models, drafts and a provider bring their tools', () => {
  assert.deepEqual(offered({ provider: 'anthropic', model: 'claude-sonnet-5' }), ['ask']);
  assert.deepEqual(offered(folder), ['ask', 'read', 'edit']);
  assert.deepEqual(offered({ ...folder, approvalMode: 'plan' }), ['ask', 'read', 'edit', 'exit_plan']);
  assert.deepEqual(offered({ ...folder, hasDrafts: true }), ['ask', 'read', 'edit', 'block_edit']);
  assert.deepEqual(offered({ ...folder, provider: 'demo', model: 'demo' }), ['pretend']);
  for (const model of ['gpt-5.1', 'openai/gpt-5', 'o3', 'o4-mini', 'codex-mini', 'gpt-oss-120b', 'chatgpt-4o-latest'])
    assert.deepEqual(offered({ ...folder, model }), ['ask', 'read', 'apply_patch'], model);
  for (const model of ['gemini-3-pro', 'llama-4', 'olmo-2', 'ollama/o-model', 'deepseek-v3'])
    assert.deepEqual(offered({ ...folder, model }), ['ask', 'read', 'edit'], model);
});

test('[TU130] the reason that a tool is not offered is given', () => {
  assert.deepEqual(why({ ...folder, directory: '' }), {
    ask: undefined,
    read: 'no-folder',
    edit: 'no-folder',
    apply_patch: 'no-folder',
    exit_plan: 'other-mode',
    block_edit: 'on-request',
    kernel_search: 'on-request',
    pretend: 'other-provider',
  });
  assert.equal(why(folder)['apply_patch'], 'other-model');
});

test('[TU131] a choice of tools takes the place of the defaults, and lends none that could not work', () => {
  const chosen = ['read', 'apply_patch', 'block_edit', 'pretend'];
  assert.deepEqual(offered({ ...folder, chosen }), ['read', 'apply_patch', 'block_edit']);
  assert.equal(why({ ...folder, chosen })['edit'], 'switched-off');
  assert.deepEqual(offered({ provider: 'anthropic', chosen }), ['block_edit']);
  assert.deepEqual(offered({ ...folder, chosen: [], approvalMode: 'plan' }), ['exit_plan']);
});

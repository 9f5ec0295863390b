import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Beginning } from './beginning.ts';

test('[WB232] [WB235] the folder and the usual mode outlive a conversation; what was chosen for it alone does not', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: () => {},
  };
  const beginning = new Beginning(storage);
  assert.deepEqual(beginning.config(), {});
  beginning.folder.set('/home/user/tides');
  beginning.mode.set('plan');
  beginning.tools.set(['read']);
  beginning.providerTools.set(['web_search', 'unknown']);
  assert.deepEqual(beginning.take(), {
    directory: '/home/user/tides',
    approval_mode: 'plan',
    tools: ['read'],
    provider_tools: ['web_search'],
  });
  assert.deepEqual(beginning.config(), { directory: '/home/user/tides' });
  beginning.usualMode.set('edit');
  assert.deepEqual(new Beginning(storage).config(), { directory: '/home/user/tides', approval_mode: 'edit' });
});

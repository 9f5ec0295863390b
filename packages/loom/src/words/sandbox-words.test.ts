import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { withWriter } from '../runtime/opened-folder.ts';
import { describeSandbox, readSandbox } from './sandbox-words.ts';

test('[DR12] a person reads if commands are confined here, or why not and what that means', async (t) => {
  const state = await withWriter({ dataDir: temporaryDirectory(t), note: () => {} }, (loom) => readSandbox(loom));
  assert.ok(state !== undefined);
  assert.match(describeSandbox(state), state.available ? /in a sandbox \(\w/u : /without a sandbox.*\. \w/su);
  const missing = describeSandbox({ available: false, reason: 'Bubblewrap is not installed.', holds: [] });
  assert.match(
    missing,
    /^Commands of models run without a sandbox, once you approve them\. Bubblewrap is not installed\.\nModes plan/u,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Preferences } from './preferences.ts';

test('[WB135] a window that becomes too small for the inspector closes it, and one that grows has it as it was', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  const preferences = new Preferences(storage);
  const { hasInspector } = preferences;
  assert.ok(hasInspector.getSnapshot());
  preferences.fit(false);
  assert.ok(!hasInspector.getSnapshot());
  assert.ok(new Preferences(storage).hasInspector.getSnapshot(), 'it is closed here alone');
  hasInspector.set(true);
  hasInspector.set(false);
  preferences.fit(true);
  assert.ok(hasInspector.getSnapshot(), 'what was done with the drawer is forgotten');
  hasInspector.set(false);
  preferences.fit(false);
  preferences.fit(true);
  assert.ok(!hasInspector.getSnapshot());
  assert.ok(!new Preferences(storage).hasInspector.getSnapshot());
  assert.ok(!new Preferences(storage, { isWide: false }).hasInspector.getSnapshot());
});

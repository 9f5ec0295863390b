import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { SaveTracker } from './save-state.ts';
import type { SaveFacts } from './save-state.ts';

function tracked(): {
  tracker: SaveTracker;
  clock: VirtualClock;
  is: () => unknown;
  so: (facts: Partial<SaveFacts>) => void;
} {
  const clock = new VirtualClock();
  let facts: SaveFacts = { isOpen: false, isLive: true, unsaved: 0 };
  const tracker = new SaveTracker(() => facts, clock);
  return {
    tracker,
    clock,
    is: () => tracker.state.getSnapshot(),
    so(changed) {
      facts = { ...facts, ...changed };
      tracker.look();
    },
  };
}

test('[WB512] saving is told after 300 ms, and as not saved after five seconds', () => {
  const { clock, is, so } = tracked();
  assert.deepEqual(is(), { is: 'opening', isAway: false });
  so({ isOpen: true });
  assert.deepEqual(is(), { is: 'saved' });
  so({ unsaved: 1 });
  clock.advance(299);
  assert.deepEqual(is(), { is: 'saved' });
  clock.advance(1);
  assert.deepEqual(is(), { is: 'saving' });
  so({ unsaved: 2 });
  clock.advance(4700);
  assert.deepEqual(is(), { is: 'unsaved' });
  so({ unsaved: 0 });
  assert.deepEqual(is(), { is: 'saved' });
});

test('[WB512] a server that is away is told with the edits kept here, and with what they met when it is back', () => {
  const { tracker, clock, is, so } = tracked();
  so({ isOpen: true });
  const since = clock.now();
  so({ isLive: false, unsaved: 1 });
  clock.advance(1999);
  assert.deepEqual(is(), { is: 'saving' });
  clock.advance(1);
  assert.deepEqual(is(), { is: 'offline', since, edits: 1 });
  so({ unsaved: 3 });
  assert.deepEqual(is(), { is: 'offline', since, edits: 3 });
  so({ isLive: true });
  const splices = [{ at: 0, delete: 0, insert: 'x' }];
  tracker.take({ splices, by: { agent: '@jo', isHere: false } });
  so({ unsaved: 0 });
  assert.deepEqual(is(), { is: 'merged', edits: 3, others: 1 });
  clock.advance(60_000);
  tracker.take({ splices, by: { agent: '@jo', isHere: false } });
  assert.deepEqual(is(), { is: 'merged', edits: 3, others: 1 });
  tracker.take({ splices, by: { isHere: true } });
  assert.deepEqual(is(), { is: 'saved' });
});

test('[WB512] a brief cut is not told, and a text that was never opened says that the server is away', () => {
  const { clock, is, so } = tracked();
  so({ isLive: false });
  clock.advance(2000);
  assert.deepEqual(is(), { is: 'opening', isAway: true });
  so({ isLive: true, isOpen: true });
  assert.deepEqual(is(), { is: 'saved' });
  so({ isLive: false });
  clock.advance(1000);
  so({ isLive: true });
  clock.advance(1000);
  assert.deepEqual(is(), { is: 'saved' });
});

import test from 'node:test';
import assert from 'node:assert/strict';
import { stay, trayItems } from './tray-items.ts';
import type { WaitingCall } from './waiting-calls.ts';

function waitingSince(node: string, since: string): WaitingCall {
  const call = { turn: 't', provider: 'demo', model: 'demo', tool: 'run', arguments: '{}' };
  return { root: 'r', opening: '', node, ...call, ask: { kind: 'ask', preview: [] }, since };
}

test('[WB112] a call that was decided stays in its place for three seconds, then leaves; the oldest is first', () => {
  const old = waitingSince('r/1', '2026-11-17T09:00:00Z');
  const young = waitingSince('r/2', '2026-11-17T10:00:00Z');
  const shown = (items: ReturnType<typeof trayItems>) =>
    items.map(({ call, endedAt }) => `${call.node}${endedAt === undefined ? '' : ' ended'}`);
  const first = trayItems([], [young], 0);
  const second = trayItems(first, [young, old], 10);
  assert.deepEqual(shown(second), ['r/1', 'r/2']);
  const third = trayItems(second, [young], 1000);
  assert.deepEqual(shown(third), ['r/1 ended', 'r/2']);
  assert.deepEqual(shown(trayItems(third, [young], 1000 + stay - 1)), ['r/1 ended', 'r/2']);
  assert.deepEqual(shown(trayItems(third, [young], 1000 + stay)), ['r/2']);
  assert.deepEqual(shown(trayItems(third, [old, young], 1500)), ['r/1', 'r/2'], 'it waits again');
});

import test from 'node:test';
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { ListView } from '@loom/sync';
import { Store } from '../stores/store.ts';
import { WaitingCalls } from './waiting-calls.ts';
import type { WaitingCall } from './waiting-calls.ts';

function waitingSince(node: string, since: string): WaitingCall {
  const call = { turn: 't', provider: 'demo', model: 'demo', tool: 'run', arguments: '{}' };
  return { root: 'r', opening: '', node, ...call, ask: { kind: 'ask', preview: [] }, since };
}

function viewOf(needs: string[]): ListView {
  const nothing = { tags: [], config: {}, leaves: [], bookmarks: [], running: [], opening: '' };
  const usage = { input_tokens: 0, output_tokens: 0 };
  const times = { created: '2026-11-17', updated: '2026-11-17' };
  return {
    status: 'live',
    jobs: [],
    children: [],
    items: [{ id: 'r', ...nothing, ...times, nodes: 1, branches: 1, usage, deleted: false, needs }],
  };
}

test('[WB110] what waits is asked for when the list says that something else waits, and comes oldest first', async () => {
  const list = new Store<ListView>({ status: 'joining', jobs: [], items: [], children: [] });
  let asked = 0;
  let items = [waitingSince('r/2', '2026-11-17T10:05:00Z'), waitingSince('r/1', '2026-11-17T09:00:00Z')];
  const waiting = new WaitingCalls(list, () => {
    asked += 1;
    return Promise.resolve(items);
  });
  assert.equal(asked, 0);
  list.set(viewOf(['r/1', 'r/2']));
  await setImmediate();
  assert.deepEqual(
    waiting.getSnapshot().calls.map(({ node }) => node),
    ['r/1', 'r/2'],
  );
  list.set(viewOf(['r/1', 'r/2']));
  await setImmediate();
  assert.equal(asked, 1);
  items = items.slice(0, 1);
  list.set(viewOf(['r/2']));
  list.set(viewOf(['r/1', 'r/2']));
  await setImmediate();
  assert.equal(waiting.getSnapshot().calls.length, 1);
  assert.equal(asked, 3);
  const { items: children } = viewOf(['child/1']);
  list.set({ ...viewOf(['r/1', 'r/2']), children });
  await setImmediate();
  assert.equal(asked, 4, 'an agent that was sent out needs a person');
});

test('[WB110] what was known to wait stays when asking fails', async () => {
  const list = new Store<ListView>(viewOf(['r/1']));
  let isAway = false;
  const waiting = new WaitingCalls(list, () =>
    isAway
      ? Promise.reject(new Error('the server is away'))
      : Promise.resolve([waitingSince('r/1', '2026-11-17T09:00:00Z')]),
  );
  await setImmediate();
  isAway = true;
  waiting.refresh();
  await setImmediate();
  const { calls, failure } = waiting.getSnapshot();
  assert.equal(calls.length, 1);
  assert.equal(failure, 'The server is away.');
});

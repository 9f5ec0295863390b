import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListView } from '@loom/sync';
import { TurnNotices } from './turn-notices.ts';

type Item = ListView['items'][number];

function item(facts: Partial<Pick<Item, 'running' | 'needs'>> & { failed?: true; title?: string }): Item {
  return {
    id: 'root-1',
    tags: [],
    config: { directory: '/home/me/tides' },
    branches: 1,
    nodes: 2,
    leaves: [],
    bookmarks: [],
    running: [],
    needs: [],
    opening: 'When is low water?',
    created: '2026-11-12T12:00:00Z',
    updated: '2026-11-12T12:00:00Z',
    usage: { input_tokens: 0, output_tokens: 0 },
    deleted: false,
    ...facts,
  };
}

function seen(status: ListView['status'], ...items: Item[]): ListView {
  return { items, status, jobs: [], children: [] };
}

test('[WB601] a turn that ends is told once, with its agent, project and conversation, and only while the list is up to date', () => {
  const notices = new TurnNotices();
  const running = item({ running: ['turn-1'] });
  assert.deepEqual(notices.ofList(seen('live', item({}))), [], 'what was there first is no news');
  assert.deepEqual(notices.ofList(seen('live', running)), []);
  assert.deepEqual(notices.ofList(seen('joining', item({}))), [], 'without a connection nothing is known');
  const [told, ...others] = notices.ofList(seen('live', item({})));
  assert.deepEqual(told, { title: 'A turn finished in tides', body: '“When is low water?”', path: '/r/root-1' });
  assert.deepEqual(others, []);
  assert.deepEqual(notices.ofList(seen('live', item({}))), [], 'it is told once');
  // From running to waiting is not the end; a call that waits is told by itself.
  notices.ofList(seen('live', running));
  assert.deepEqual(notices.ofList(seen('live', item({ needs: ['root-1/node-2'] }))), []);
  const [failed] = notices.ofList(seen('live', item({ failed: true, title: 'Tides' })));
  assert.equal(failed?.title, 'A turn failed in tides');
  assert.equal(failed.body, '“Tides”');
});

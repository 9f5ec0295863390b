import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, readAddress } from './route.ts';
import type { Place } from './route.ts';

test('[WB83] [WB388] [WB575] every place has an address that leads back to it', () => {
  const places: Place[] = [
    { name: 'new' },
    { name: 'settings' },
    { name: 'settings', section: 'models' },
    { name: 'usage' },
    { name: 'agents' },
    { name: 'agents', question: 'a b/1' },
    { name: 'conversations' },
    { name: 'conversations', filters: 'project=github.com%2Fa%2Fb&state=failed&text=high+tide' },
    { name: 'search', query: 'kind:command "a/b" 50%' },
    { name: 'conversation', root: 'root-1' },
    { name: 'conversation', root: 'root-1', node: 'root-1/node-2' },
    { name: 'conversation', root: 'root-1', node: 'root-1/node-2', view: 'answers' },
    { name: 'conversation', root: 'root-1', node: 'root-1/node-2', view: 'new' },
    { name: 'tree', root: 'root-1' },
    { name: 'text', root: 'root-1', block: 'root-1/@a b/3' },
    { name: 'review', root: 'root-1', node: 'root-1/node-2', scope: 'turn' },
    { name: 'review', root: 'root-1', node: 'root-1/node-2', scope: 'branch' },
    { name: 'review', root: 'root-1', node: 'root-1/node-2', scope: 'branch', file: 'src/a b#1.ts' },
    { name: 'conversation', root: 'root-1', node: 'root-1/node-2', block: 'root-1/@a b/3' },
  ];
  for (const place of places) {
    const [path = '', hash = ''] = addressOf(place).split('#');
    assert.deepEqual(readAddress(path, hash), place, addressOf(place));
  }
  assert.deepEqual(readAddress('/nonsense', ''), { name: 'new' });
  assert.deepEqual(readAddress('/r/%E0%A4%A', ''), { name: 'new' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OfferedTools } from './offered-tools.ts';
import type { ToolPlace } from './offered-tools.ts';

test('[WB87] tools are asked for once per conversation, config and model; while none answers the last ones are used', async () => {
  const asked: unknown[] = [];
  let place: ToolPlace = { config: { directory: '/work' }, provider: 'anthropic', model: 'claude' };
  let isAway = false;
  const tools = new OfferedTools(
    async (_name, params) => {
      asked.push(params);
      if (isAway) throw new Error('there is no answer');
      const hasRoot = JSON.stringify(params).includes('root-1');
      return {
        items: [
          { name: 'read', description: '', parameters: {}, offered: true },
          { name: 'shell', description: '', parameters: {}, offered: hasRoot, why_not: 'switched-off' },
        ],
      };
    },
    () => place,
  );
  await tools.ready();
  await tools.ready();
  assert.deepEqual(tools.names(), ['read']);
  assert.deepEqual(asked, [{ config: { directory: '/work' }, provider: 'anthropic', model: 'claude', limit: 1000 }]);
  place = { ...place, root: 'root-1' };
  await tools.ready();
  assert.deepEqual(tools.names(), ['read', 'shell']);
  place = { ...place, config: {} };
  isAway = true;
  await tools.ready();
  assert.deepEqual([tools.names(), tools.listed.getSnapshot().failure], [['read', 'shell'], 'There is no answer.']);
  isAway = false;
  await tools.ready();
  assert.equal(tools.listed.getSnapshot().failure, undefined);
  assert.equal(asked.length, 4);
});

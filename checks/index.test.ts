import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks } from './index.ts';
import { plantRepository } from './testing/planted-repository.ts';

test('[CK1] a repository without faults passes all checks', async (t) => {
  const root = plantRepository(t);
  for (const [name, check] of checks) assert.deepEqual(await check(root), [], name);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoTools } from '@loom/providers/demo';
import { systemClock } from '../runtime/system-clock.ts';
import { toolsFor } from './offered-tools.ts';

test('[CH49] tools that were made for one provider are offered to its models alone', () => {
  const made = demoTools(systemClock);
  const [first] = made;
  assert.ok(first !== undefined);
  const { madeFor, ...other } = first;
  assert.equal(madeFor, 'demo');
  assert.deepEqual(toolsFor('anthropic', [...made, other]), [other]);
  assert.deepEqual(toolsFor('demo', [...made, other]), [...made, other]);
});

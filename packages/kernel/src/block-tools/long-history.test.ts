import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** In megabytes: far below the 400 that the versions of the text would take. */
const memory = 120;

test('[BT49] history, earlier versions, differences, undo and carried edits of 400 versions of a megabyte need the memory of a few texts', async () => {
  const script = new URL('./testing/long-history.ts', import.meta.url);
  const thread = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memory } });
  assert.deepEqual(await once(thread, 'exit'), [0]);
});

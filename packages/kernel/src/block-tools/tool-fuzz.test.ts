import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfShare, rounds, tellTried } from '@loom/blocks/testing';
import { runToolFuzz } from './testing/tool-fuzz.ts';

/** So many do everything once. */
const fewest = 8;
/** More in the deep run. */
const seeds = Number(process.env['LOOM_TOOL_FUZZ_SEEDS'] ?? fewest);
const steps = 60;

test('[BT35] three agents, a streaming model and an agent that rearranges the tree, with restarts: every text stays that of its document', async (t) => {
  const done = new Map<string, number>();
  const end = endOfShare();
  let tried = 0;
  for (const round of rounds((count) => count >= seeds, Infinity)) {
    if (round > fewest && Date.now() > end) break;
    const seed = round - 1;
    tried = round;
    for (const line of await runToolFuzz(seed, steps)) {
      const [, what = ''] = line.split(' ');
      if (!line.includes('"refusal"')) done.set(what, (done.get(what) ?? 0) + 1);
    }
  }
  const counts = [...done].map(([what, count]) => `${what} ${count}`).join(', ');
  tellTried(t, tried, `seeds of ${steps} steps: ${counts}`);
  for (const what of [
    'append',
    'edit',
    'splice',
    'undo',
    'redo',
    'create',
    'node',
    'merge',
    'tree-undo',
    'restart',
    'go',
  ]) {
    assert.ok((done.get(what) ?? 0) > 0, `${what} was never done`);
  }
});

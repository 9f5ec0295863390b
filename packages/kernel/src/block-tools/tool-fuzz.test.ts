import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runToolFuzz } from './testing/tool-fuzz.ts';

/** More with `LOOM_TOOL_FUZZ_SEEDS=1000`. */
const seeds = Number(process.env['LOOM_TOOL_FUZZ_SEEDS'] ?? 8);
const steps = 60;

test('[BT35] three agents, a streaming model and an agent that rearranges the tree, with restarts: every text stays that of its document', async (t) => {
  const done = new Map<string, number>();
  for (let seed = 0; seed < seeds; seed += 1) {
    for (const line of await runToolFuzz(seed, steps)) {
      const [, what = ''] = line.split(' ');
      if (!line.includes('"refusal"')) done.set(what, (done.get(what) ?? 0) + 1);
    }
  }
  t.diagnostic(
    `seeds 0 to ${seeds - 1}, ${steps} steps each: ${[...done].map(([what, count]) => `${what} ${count}`).join(', ')}`,
  );
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

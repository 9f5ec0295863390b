import test from 'node:test';
import assert from 'node:assert/strict';
import type { BlockPlace } from './block-searches.ts';
import { hitTitle, isWritten } from './hit-words.ts';

function placed(facts: Partial<BlockPlace>): { place: BlockPlace } {
  const about = { block_id: 'r/b', root: 'r', opening: 'o', node: 'r/n', time: '2026-11-17T10:00:00Z' };
  return { place: { ...about, role: 'assistant', type: 'text', ...facts } };
}

test('[WB106] a result is called by its file, its tool, or what it is and who wrote it; only prose is shown as prose', () => {
  assert.equal(hitTitle({ path: 'src/a.ts' }), 'src/a.ts');
  assert.equal(hitTitle(placed({ role: 'user' })), 'You');
  assert.equal(hitTitle(placed({ model: 'anthropic:claude-x' })), 'claude-x');
  assert.equal(hitTitle(placed({ model: '' })), 'Model');
  assert.equal(hitTitle(placed({ type: 'thinking', model: 'demo:demo' })), 'Thinking, demo');
  assert.equal(hitTitle(placed({ type: 'tool-use', tool: 'search' })), 'search');
  assert.equal(hitTitle(placed({ role: 'tool', tool: 'search' })), 'Result of search');
  assert.deepEqual(
    [
      placed({}),
      placed({ type: 'thinking' }),
      placed({ type: 'code' }),
      placed({ role: 'tool' }),
      { path: 'a' },
      {},
    ].map(isWritten),
    [true, true, false, false, false, true],
  );
});

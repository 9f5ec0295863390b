import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isPurged, looksMasked, maskBlock, maskText, messageBlock, renderBlockAsMarkdown, withText } from '../index.ts';
import { anyAssistantBlock, anyToolBlock, anyUserBlock } from '../testing/index.ts';

test('[PU1] a masked block is a block of the same type and id, with texts of the same length', () => {
  fc.assert(
    fc.property(fc.oneof(anyUserBlock, anyAssistantBlock, anyToolBlock), (block) => {
      const masked = messageBlock.parse(maskBlock({ ...block, block_id: 'root-1/@a/1', metadata: { a: 1 } }));
      assert.deepEqual([masked.type, masked.block_id, masked.metadata], [block.type, 'root-1/@a/1', undefined]);
      if (masked.type === 'text' && block.type === 'text') assert.equal(masked.text.length, block.text.length);
    }),
  );
});

test('[PU1] what a block said is nowhere in what it becomes', () => {
  const secret = 'sk-0123456789';
  const blocks = [
    { type: 'text', text: secret, provider: { x: secret }, metadata: { x: secret } },
    { type: 'thinking', text: secret },
    { type: 'code', content: secret, filename: secret },
    { type: 'tool-use', id: 'c', name: 'shell', parameters: { secret }, arguments: `{"secret":  "${secret}"}` },
    { type: 'image', media_type: 'image/png', url: `https://example.org/${secret}`, filename: secret },
    {
      type: 'command',
      command: secret,
      stdout: secret,
      stderr: { blob: `sha256:${'0'.repeat(64)}`, bytes: 9, preview: secret },
    },
    { type: 'file-change', changes: [{ path: secret, kind: 'rename', from: secret, diff: secret }] },
    { type: 'todo', items: [{ content: secret, status: 'pending' }] },
    { type: 'sources', sources: [{ id: '1', url: secret, title: secret }] },
    { type: 'error', code: 'x', message: secret, detail: secret },
    { type: 'raw', source: 'x', value: { secret } },
  ].map((block) => messageBlock.parse(block));
  for (const block of blocks) assert.ok(!JSON.stringify(maskBlock(block)).includes(secret), block.type);
  assert.equal(maskText('a😀'), '███');
});

test('[PU14] a purged block is known by its mark, not by its looks, and an edited one says something again', () => {
  const signs = messageBlock.parse({ type: 'text', text: '████' });
  assert.deepEqual([looksMasked(signs), isPurged(signs)], [true, false]);
  assert.equal(renderBlockAsMarkdown(signs), '████');
  const purged = maskBlock(messageBlock.parse({ type: 'text', text: 'word' }));
  assert.equal(isPurged(purged), true);
  assert.equal(renderBlockAsMarkdown(purged), '*Removed for good*');
  assert.equal(isPurged(withText(purged, '████ and more')), false);
  const call = { type: 'tool-use', id: 'c', name: 'shell', parameters: {} };
  assert.equal(isPurged(messageBlock.parse(call)), false);
  assert.equal(isPurged(maskBlock(messageBlock.parse({ ...call, parameters: { a: 1 } }))), true);
});

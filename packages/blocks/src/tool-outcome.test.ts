import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksShownToModel, deniedBlock, deniedText, denialReason, isDenied, toolBlock } from './index.ts';
import type { ToolMessage } from './index.ts';

const result = (...content: ToolMessage['content']): ToolMessage => ({
  role: 'tool',
  tool_call_id: '1',
  content,
  is_error: true,
});

test('[TO1] a denied result says so in its record, and its text is what the model reads', () => {
  const denied = result(deniedBlock(undefined));
  assert.ok(isDenied(denied));
  assert.equal(denialReason(denied), undefined);
  assert.deepEqual(
    blocksShownToModel(denied).map((block) => block.type === 'text' && block.text),
    [deniedText],
  );
  assert.deepEqual(toolBlock.parse(deniedBlock('not on a Sunday')), deniedBlock('not on a Sunday'));
  assert.equal(denialReason(result(deniedBlock('not on a Sunday'))), 'not on a Sunday');
});

test('[TO2] neither a failure with the same words nor a result that did not fail counts as denied', () => {
  assert.equal(isDenied(result({ type: 'text', text: deniedText })), false);
  assert.equal(isDenied({ ...result(deniedBlock(undefined)), is_error: false }), false);
});

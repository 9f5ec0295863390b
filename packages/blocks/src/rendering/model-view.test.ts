import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { blocksShownToModel } from '../index.ts';
import type { Message, ToolBlock } from '../index.ts';
import { anyMessage } from '../testing/arbitraries.ts';

const result = (...content: ToolBlock[]): Message => ({ role: 'tool', content, tool_call_id: '1' });
const shown = (message: Message) => blocksShownToModel(message).map((block) => block.type);

test('[MV1] text, thinking, calls and images are shown, in order', () => {
  const message: Message = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'tool-use', id: '1', name: 'x', parameters: {} },
      { type: 'image', media_type: 'image/png', url: 'https://example.org' },
    ],
  };
  assert.deepEqual(blocksShownToModel(message), message.content);
});

test('[MV2] structured views are shown as text only where there is no text block', () => {
  const views: ToolBlock[] = [
    { type: 'code', content: 'let x' },
    { type: 'command', command: 'ls', stdout: 'a.ts\n', exit_code: 2 },
    { type: 'file-change', changes: [{ path: 'a.ts', kind: 'modify', diff: '+x' }] },
    { type: 'todo', items: [{ content: 'buy', status: 'in_progress' }] },
  ];
  assert.deepEqual(blocksShownToModel(result(...views)), [
    { type: 'text', text: 'let x' },
    { type: 'text', text: '$ ls\na.ts\nexit code 2' },
    { type: 'text', text: 'modify a.ts\n+x' },
    { type: 'text', text: '[~] buy' },
  ]);
  assert.deepEqual(blocksShownToModel(result(...views, { type: 'text', text: 'exact' })), [
    { type: 'text', text: 'exact' },
  ]);
});

test('[MV3] sources, sub-conversations, errors and raw parts are for people', () => {
  const message = result(
    { type: 'sources', sources: [] },
    { type: 'conversation', root: 'r' },
    { type: 'error', code: 'x', message: 'y' },
    { type: 'raw', source: 'x', value: 1 },
  );
  assert.deepEqual(blocksShownToModel(message), []);
});

test('[MV4] ephemeral blocks are never shown, and do not stand in the way of a view', () => {
  assert.deepEqual(shown(result({ type: 'text', text: 'hint', ephemeral: true }, { type: 'code', content: 'x' })), [
    'text',
  ]);
});

test('[MV5] interrupted text is shown, unfinished thinking and calls are not', () => {
  const status = 'error' as const;
  const message: Message = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm', status },
      { type: 'text', text: 'cut o', status },
      { type: 'tool-use', id: '1', name: 'x', parameters: {}, status: 'running' },
      { type: 'tool-use', id: '2', name: 'x', parameters: {}, status: 'done' },
    ],
  };
  assert.deepEqual(shown(message), ['text', 'tool-use']);
});

test('[MV6] only text, thinking, calls and images ever reach a model, and no text block is lost', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const blocks = blocksShownToModel(message);
      assert.ok(blocks.every((block) => ['text', 'thinking', 'tool-use', 'image'].includes(block.type)));
      for (const block of message.content) if (block.type === 'text') assert.ok(blocks.includes(block));
    }),
  );
});

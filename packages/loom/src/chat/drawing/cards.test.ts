import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { renderCall, renderCallInFull, renderResult, shorten } from './cards.ts';

const call: ToolUseBlock = {
  type: 'tool-use',
  id: 'c',
  name: 'write_file',
  parameters: { file_path: 'a.md', content: `# One\n${'long '.repeat(40)}\nlast`, mode: 6 },
};

function result(tool: NonNullable<NodeState['tool']>, ...blocks: MessageBlock[]): string[] {
  const source = { type: 'tool_result' as const, tool_name: 'x' };
  const node: NodeState = { id: 'r/node-1', parent: 'r', role: 'tool', blocks, source, time: 0, touched: 1, tool };
  return renderResult(node, 'x').map(({ text, tone }) => (tone === undefined ? text : `${tone}|${text}`));
}

test('[CH13] a call that asks is shown with all its arguments, a call that runs in one line', () => {
  const full = renderCallInFull(call).map(({ text }) => text);
  assert.deepEqual(full, [
    '● write_file',
    '  file_path: a.md',
    '  content:',
    '    # One',
    `    ${'long '.repeat(40)}`,
    '    last',
    '  mode: 6',
  ]);
  const [line, ...others] = renderCall(call);
  assert.deepEqual(others, []);
  assert.match(line?.text ?? '', /^● write_file file_path: a\.md, content: # One long .*…, mode: 6$/);
});

test('[CH19] a result is shown as its view where it has one, else as its text', () => {
  const text = { type: 'text' as const, text: 'for the model' };
  assert.deepEqual(result('result', text), ['good|  ✔ x', '    for the model']);
  assert.deepEqual(
    result('result', text, {
      type: 'file-change',
      changes: [{ path: 'a.md', kind: 'modify', diff: '--- a.md\n+++ a.md\n@@ -1 +1 @@\n-old\n+new\n kept\n' }],
    }),
    ['good|  ✔ x', 'strong|    modify a.md', 'faint|    @@ -1 +1 @@', 'bad|    -old', 'good|    +new', '     kept'],
  );
  assert.deepEqual(
    result('error', text, { type: 'command', command: 'ls', stdout: 'a\n', stderr: 'b', exit_code: 2 }),
    ['bad|  ✘ x failed', 'strong|    $ ls', '    a', 'odd|    b', 'bad|    exit code 2'],
  );
  assert.deepEqual(
    result('result', text, {
      type: 'todo',
      items: [
        { content: 'one', status: 'completed' },
        { content: 'two', status: 'in_progress' },
        { content: 'three', status: 'pending' },
      ],
    }),
    ['good|  ✔ x', 'faint|    ☑ one', 'strong|    ▸ two', '    ☐ three'],
  );
  assert.deepEqual(result('result', { type: 'sources', sources: [{ id: '1', url: 'https://a.b/', title: 'A' }] }), [
    'good|  ✔ x',
    '    [1] A <https://a.b/>',
  ]);
  assert.deepEqual(result('denied', text), ['odd|  ✘ x was denied', '    for the model']);
});

test('[CH19] a long result is cut and says how much is left', () => {
  const lines = result('result', {
    type: 'text',
    text: Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n'),
  });
  assert.equal(lines.length, 25);
  assert.equal(lines.at(-1), 'faint|    … 77 more lines: loom show');
  assert.equal(result('result', { type: 'text', text: 'x\n'.repeat(24) }).length, 25);
});

test('[CH19] shortening keeps whole characters and one line', () => {
  assert.equal(shorten('a\n b\t c', 10), 'a b c');
  assert.equal(shorten('🧵🧵🧵🧵', 3), '🧵🧵…');
});

test('[CH19] shortening divides all texts where a reader would', () => {
  // Letters that join with nothing, marks and joiners that do, and letters of two halves.
  const letters = fc.constantFrom(
    'a',
    'é',
    '…',
    '●',
    '一',
    'ゖ',
    '\u0301',
    '\u3099',
    '\u200D',
    '\uFE0F',
    '🧵',
    '🇩',
    '각',
    '\u1161',
    '©',
  );
  const texts = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 8 }), (text, length) => {
      const whole = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
      const expected = whole.length <= length ? text : `${whole.slice(0, length - 1).join('')}…`;
      assert.equal(shorten(text, length), expected);
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { renderBlockAsMarkdown, renderBlockAsText, renderMessageAsMarkdown } from '../index.ts';
import type { ContentBlock } from '../index.ts';
import { anyAssistantBlock, anyMessage, anyToolBlock } from '../testing/arbitraries.ts';

const anyBlock = fc.oneof(anyAssistantBlock, anyToolBlock);

test('[RN1] every block type has a text form', () => {
  const cases: [ContentBlock, string][] = [
    [{ type: 'text', text: ' a ' }, ' a '],
    [{ type: 'thinking', text: 'hm' }, 'hm'],
    [{ type: 'tool-use', id: '1', name: 'Read', parameters: { path: 'a' } }, 'Read({"path":"a"})'],
    [{ type: 'tool-use', id: '1', name: 'Read', parameters: {}, arguments: '{"cut' }, 'Read({"cut)'],
    [
      { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,AAAA' },
      '[image/png: data:image/png;base64,… (4 characters)]',
    ],
    [
      { type: 'image', media_type: 'application/pdf', url: 'https://example.org/a', filename: 'a.pdf' },
      '[application/pdf: a.pdf]',
    ],
    [{ type: 'code', content: 'let x' }, 'let x'],
    [{ type: 'command', command: 'ls', stdout: 'a\n', stderr: 'b', exit_code: 1 }, '$ ls\na\nb\nexit code 1'],
    [{ type: 'file-change', changes: [{ path: 'b', from: 'a', kind: 'rename' }] }, 'rename a → b'],
    [{ type: 'todo', items: [{ content: 'x', status: 'completed' }] }, '[x] x'],
    [{ type: 'sources', sources: [{ id: '1', url: 'https://example.org', title: 'T' }] }, 'T <https://example.org>'],
    [
      {
        type: 'sources',
        sources: [
          { id: '1', url: '', title: 'T' },
          { id: '2', url: 'u', title: '' },
        ],
      },
      'T\nu',
    ],
    [{ type: 'conversation', root: 'root-1' }, '[conversation root-1]'],
    [{ type: 'error', code: 'overloaded', message: 'later' }, 'Error (overloaded): later'],
    [{ type: 'raw', source: 'x', value: { a: 1 } }, '{"a":1}'],
    [{ type: 'file', path: 'a', text: 'x' }, 'x'],
  ];
  for (const [block, text] of cases) assert.equal(renderBlockAsText(block), text);
});

test('[RN2] long output is represented by its beginning, its size and where it is', () => {
  const stdout = { blob: `sha256:${'0'.repeat(64)}`, bytes: 70_000, preview: 'first' };
  const block: ContentBlock = { type: 'command', command: 'x', stdout };
  for (const text of [renderBlockAsText(block), renderBlockAsMarkdown(block)]) {
    assert.match(text, /first\n\[… 70000 bytes in all: sha256:0+\]/);
  }
});

test('[RN3] every block type has a Markdown form, and no form ever says [object Object] or undefined', () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      const clean = JSON.stringify(block).includes('undefined');
      for (const text of [renderBlockAsText(block), renderBlockAsMarkdown(block)]) {
        assert.equal(typeof text, 'string');
        assert.equal(text.includes('[object Object]'), false);
        assert.ok(clean || !text.includes('undefined'));
      }
    }),
  );
});

test('[RN4] a fence is longer than any run of backticks inside, so content cannot end it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n') }), (content) => {
      const lines = renderBlockAsMarkdown({ type: 'code', content, language: 'ts' }).split('\n');
      const opening = /^(`{3,})ts$/.exec(lines[0] ?? '');
      assert.ok(opening?.[1]);
      const closing = lines.findIndex((line, index) => index > 0 && line === opening[1]);
      assert.equal(closing, lines.length - 1);
    }),
  );
});

test('[RN5] Markdown shows calls, commands, changes, tasks, sources and errors as people read them', () => {
  const cases: [ContentBlock, string][] = [
    [
      { type: 'tool-use', id: '1', name: 'Read', parameters: { path: 'a' } },
      '**Tool call** `Read`\n\n```json\n{\n  "path": "a"\n}\n```',
    ],
    [
      { type: 'tool-use', id: '1', name: 'Read', parameters: {}, arguments: '{"cut' },
      '**Tool call** `Read`\n\n```json\n{"cut\n```',
    ],
    [
      { type: 'tool-use', id: '1', name: '`x', parameters: { n: 1 }, arguments: '{ "n": 1 }' },
      '**Tool call** `` `x ``\n\n```json\n{\n  "n": 1\n}\n```',
    ],
    [{ type: 'tool-use', id: '1', name: 'x', parameters: {} }, '**Tool call** `x`\n\n```json\n{}\n```'],
    [{ type: 'command', command: 'ls', stdout: 'a', exit_code: 1 }, '```console\n$ ls\na\n```\n\nExit code 1'],
    [
      {
        type: 'file-change',
        changes: [
          { path: 'a', kind: 'add' },
          { path: 'b', kind: 'modify', diff: '+x' },
        ],
      },
      '- `add a`\n\n`modify b`\n\n```diff\n+x\n```',
    ],
    [
      {
        type: 'todo',
        items: [
          { content: 'a\n\n b', status: 'completed' },
          { content: 'c', status: 'in_progress' },
        ],
      },
      '- [x] a b\n- [ ] c *(in progress)*',
    ],
    [
      { type: 'sources', sources: [{ id: '1', url: 'https://example.org/a>b', title: '[x](y)' }] },
      '1. [\\[x\\](y)](<https://example.org/a%3Eb>)',
    ],
    [
      { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png', filename: 'a.png' },
      '![a.png](<https://example.org/a.png>)',
    ],
    [
      { type: 'image', media_type: 'application/pdf', url: 'https://example.org/a.pdf' },
      '[application/pdf](<https://example.org/a.pdf>)',
    ],
    [
      { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,AAAA' },
      '[image/png: data:image/png;base64,… (4 characters)]',
    ],
    [{ type: 'thinking', text: 'one\n\ntwo' }, '> *Thinking*\n>\n> one\n>\n> two'],
    [
      { type: 'error', code: 'x', message: 'y', detail: { a: 1 } },
      '> **Error** `x` y\n>\n> ```json\n> {\n>   "a": 1\n> }\n> ```',
    ],
    [{ type: 'code', content: 'x', filename: 'a`b.ts', language: 'bad lang' }, '``a`b.ts``\n\n```\nx\n```'],
    [{ type: 'sources', sources: [{ id: '1', url: '', title: 'T' }] }, '1. T'],
    [{ type: 'conversation', root: 'root-1' }, '**Conversation** `root-1`'],
    [{ type: 'raw', source: 'x_y', value: [1] }, '**x\\_y**\n\n```json\n[\n  1\n]\n```'],
    [{ type: 'file', path: 'a.ts', text: 'x\n', language: 'ts' }, '`a.ts`\n\n```ts\nx\n```'],
    [{ type: 'text', text: '*as it is*' }, '*as it is*'],
  ];
  for (const [block, markdown] of cases) assert.equal(renderBlockAsMarkdown(block), markdown);
});

test('[RN6] a message is its blocks with a blank line between them', () => {
  assert.equal(
    renderMessageAsMarkdown({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: '' },
        { type: 'text', text: 'b' },
      ],
    }),
    'a\n\nb',
  );
  fc.assert(
    fc.property(anyMessage, (message) => {
      const markdown = renderMessageAsMarkdown(message);
      for (const block of message.content) if (block.type === 'text') assert.ok(markdown.includes(block.text));
    }),
  );
});

test('[RN4] a carriage return leads out of no quote and no list', () => {
  for (const block of [
    { type: 'thinking', text: 'a\r# b\r\nc' },
    { type: 'error', code: 'x', message: 'a\r# b' },
    { type: 'todo', items: [{ content: 'a\r# b\r\n  c', status: 'pending' }] },
  ] satisfies ContentBlock[]) {
    const lines = renderBlockAsMarkdown(block).split(/\r\n|\r|\n/);
    assert.ok(lines.every((line) => line.startsWith('>') || line === '- [ ] a # b c'));
  }
});

test('[RN7] neither length nor depth makes rendering slow or fail', () => {
  const changes = Array.from({ length: 100_000 }, () => ({ path: 'a', kind: 'modify', diff: 'x\n' }) as const);
  let value: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) value = [value];
  const long: ContentBlock[] = [
    { type: 'file-change', changes },
    { type: 'todo', items: [{ content: `${' '.repeat(200_000)}x`, status: 'pending' }] },
    { type: 'raw', source: 'x', value },
    { type: 'error', code: 'x', message: 'x', detail: value },
  ];
  for (const block of long) {
    for (const render of [renderBlockAsText, renderBlockAsMarkdown]) {
      const text = render(block);
      assert.ok(text.length < 10_000_000);
    }
  }
});

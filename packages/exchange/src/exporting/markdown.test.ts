import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownExport } from './markdown.ts';
import { sampleSource } from './testing/sample-source.ts';
import { workedConversation } from './testing/worked-conversation.ts';

const blob = `sha256:${'ab'.repeat(32)}`;

test('[XP1] a tree is written branch after branch, with links where it forks', () => {
  const text = [...markdownExport(workedConversation())].join('');
  assert.equal(text.split('It says alpha.').length, 2);
  assert.ok(text.includes('*2 branches go on here:* [thanks](#thanks), [other](#other)'), text);
  assert.ok(text.includes('## Branch 1 of 2 behind [said](#said)\n\n<a id="thanks"></a>'), text);
  assert.ok(text.indexOf('Thanks.') < text.indexOf('## Branch 2 of 2'));
  assert.ok(text.includes('★ the answer'));
});

test('[XP1] one path is written without the other branches', () => {
  const text = [...markdownExport(workedConversation(), { node: 'root/other' })].join('');
  assert.ok(text.includes('And c?') && !text.includes('Thanks.') && !text.includes('<a id='), text);
});

test('[XP1] code that a message leaves open ends with it', () => {
  const said = (text: string): string => {
    const nodes = [
      { name: 'a', role: 'assistant' as const, blocks: [{ type: 'text' as const, text }] },
      { name: 'b', parent: 'a', role: 'user' as const, blocks: [{ type: 'text' as const, text: 'Next' }] },
    ];
    const [, , written = ''] = markdownExport(sampleSource({ nodes }));
    return written.slice(written.indexOf(text) + text.length);
  };
  assert.equal(said('Look:\n```js\ncut off'), '\n```\n');
  assert.equal(said('- Look:\n  ~~~~\n~~~\n  cut off'), '\n  ~~~~\n');
  assert.equal(said('````\n```\n````\n```js\nx\n``` \nDone.'), '\n');
  assert.equal(said('```one``` and ```\nno fence'), '\n');
  assert.equal(said('```js\nx\n```js\nstill code\r\n```\r\nDone.'), '\n');
});

test('[XP2] people see the views of a result instead of the text that says the same, and files by the names of their blobs', () => {
  const source = sampleSource({
    nodes: [
      {
        name: 'u',
        role: 'user',
        blocks: [
          { type: 'image', media_type: 'image/png', blob, filename: 'a [b].png' },
          { type: 'image', media_type: 'application/pdf', blob },
        ],
      },
      {
        name: 't',
        parent: 'u',
        role: 'tool',
        tool_call_id: 'c',
        tool: 'denied',
        blocks: [
          { type: 'text', text: 'as the model saw it' },
          { type: 'command', command: 'ls', stdout: 'a\n' },
        ],
      },
    ],
  });
  const text = [...markdownExport(source)].join('');
  assert.ok(text.includes(`![a \\[b\\].png](blobs/${'ab'.repeat(32)})`), text);
  assert.ok(text.includes(`\n[application/pdf](blobs/${'ab'.repeat(32)})`), text);
  assert.ok(text.includes('### Result of read\\_file (denied)'), text);
  assert.ok(text.includes('$ ls\na\n') && !text.includes('as the model saw it'), text);
});

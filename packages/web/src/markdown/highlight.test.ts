import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlight } from './highlight.ts';

test('[WB5] code is coloured a few lines at a time, and what goes over many lines stays what it is', async () => {
  const comment = ['/*', ...Array.from({ length: 100 }, (_, index) => `const n${index} = 'no string';`), '*/'];
  const code = [...comment, "const s = 'a string';", ''].join('\n');
  const lines = (await highlight(code, 'ts')) ?? [];
  assert.equal(lines.map((line) => line.map(({ text }) => text).join('')).join('\n'), code);
  const kinds = lines.map((line) => new Set(line.map(({ kind }) => kind)));
  for (const [index, kind] of kinds.slice(0, comment.length).entries())
    assert.deepEqual(kind, new Set(['code-comment']), `line ${index + 1}`);
  assert.ok(kinds[comment.length]?.has('code-string-expression'));
  assert.equal(await highlight('x', 'no language'), undefined);
});

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

test('[WB653] colours do not depend on how long a line takes; a very long line is left plain, and those behind it are coloured', async (t) => {
  let now = 0;
  t.mock.method(Date, 'now', () => (now += 1000));
  t.mock.method(performance, 'now', () => (now += 1000));
  const long = `const long = '${'x'.repeat(10_000)}';`;
  const lines =
    (await highlight(["const a = 'text'; // words", long, "const b = 'text'; // words"].join('\n'), 'js')) ?? [];
  const kinds = lines.map((line) => line.filter(({ text }) => text.trim() !== '').map(({ kind }) => kind));
  assert.ok(
    kinds[0]?.includes('code-comment') && kinds[0].includes('code-string-expression'),
    JSON.stringify(kinds[0]),
  );
  assert.deepEqual(kinds[2], kinds[0]);
  assert.equal(lines[1]?.map(({ text }) => text).join(''), long);
  assert.equal(lines[1]?.length, 1);
});

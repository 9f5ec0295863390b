import test from 'node:test';
import assert from 'node:assert/strict';
import { patternOf, takeFilters, withFilter, writeQuery } from './query.ts';
import { searchParams } from './search-params.ts';

test('[WB104] filters are taken out of what was typed once they are complete', () => {
  assert.deepEqual(takeFilters('kind:command error:true window is', { isTyping: true }), {
    filters: [
      { name: 'kind', value: 'command' },
      { name: 'error', value: 'true' },
    ],
    text: 'window is',
  });
  assert.deepEqual(takeFilters('window kind:comm', { isTyping: true }), { filters: [], text: 'window kind:comm' });
  assert.deepEqual(takeFilters('window kind:code', { isTyping: false }), {
    filters: [{ name: 'kind', value: 'code' }],
    text: 'window ',
  });
  assert.deepEqual(takeFilters('path:"my notes/" x', { isTyping: true }).filters, [
    { name: 'path', value: 'my notes/' },
  ]);
  for (const text of ['in:Paris we met ', 'error:404 today ', 'mankind:is ', 'https://example.org/kind:x ']) {
    assert.deepEqual(takeFilters(text, { isTyping: true }), { filters: [], text }, 'these are words to look for');
  }
});

test('[WB104] kinds and agents add up, other filters hold once; a search is written as it was typed', () => {
  const kinds = withFilter([{ name: 'kind', value: 'code' }], { name: 'kind', value: 'command' });
  assert.equal(kinds.length, 2);
  assert.equal(withFilter(kinds, { name: 'kind', value: 'code' }).length, 2);
  const days = withFilter([{ name: 'after', value: '2026-01-01' }], { name: 'after', value: 'today' });
  assert.deepEqual(days, [{ name: 'after', value: 'today' }]);
  const query = { filters: [...kinds, { name: 'path' as const, value: 'my notes' }], text: ' a  b ' };
  const written = writeQuery(query);
  assert.equal(written, 'kind:code kind:command path:"my notes" a  b');
  assert.deepEqual(takeFilters(written, { isTyping: false }), { filters: query.filters, text: 'a  b' });
});

test('[WB105] a text is looked for as it is, whatever its case; between slashes it is a regular expression', () => {
  assert.equal(patternOf('a/b'), undefined);
  assert.deepEqual(patternOf('/^a.b$/'), { pattern: '^a.b$', ignoreCase: false });
  assert.deepEqual(patternOf('/a/i'), { pattern: 'a', ignoreCase: true });
  const now = new Date(2026, 10, 17, 15).getTime();
  const ask = (text: string, root?: string) => {
    const made = searchParams(takeFilters(text, { isTyping: false }), { root, now });
    return 'params' in made ? made.params : made.problem;
  };
  const limits = {
    context_lines: 0,
    line_numbers: false,
    max_matches_per_block: 3,
    max_blocks: 150,
    max_blocks_per_root: 3,
  };
  assert.deepEqual(ask('a.b '), { query: 'a.b', literal: true, ignore_case: true, ...limits });
  assert.deepEqual(ask('/a.b/'), { query: 'a.b', ignore_case: false, ...limits });
  assert.deepEqual(ask('kind:tool-call agent:me error:yes in:this after:yesterday x', 'root-1'), {
    query: 'x',
    literal: true,
    ignore_case: true,
    kinds: ['tool-call'],
    agents: ['person'],
    errors: true,
    roots: ['root-1'],
    after: new Date(2026, 10, 16).toISOString(),
    ...limits,
  });
  for (const kind of ['tool-use', 'tool_call', 'tool-result', 'Tool_Result', 'file-change', 'plan', 'raw']) {
    assert.equal(typeof ask(`kind:${kind} x`), 'object', kind);
  }
  assert.match(JSON.stringify(ask('kind:commando x')), /no kind “commando”/u);
  assert.match(JSON.stringify(ask('before:2026-02-31 x')), /no day/u);
  assert.match(JSON.stringify(ask('in:this x')), /No conversation is open/u);
});

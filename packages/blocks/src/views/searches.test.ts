import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';
import type { ToolResult } from './view.ts';

const search = (name: string, result: ToolResult, parameters: object = { pattern: 'beta' }) =>
  viewsOfToolResult({ name, parameters }, result);

test('[VW16] Claude Code reports what it found: lines, files, or how often', () => {
  const lines = 'a.txt:2:beta\nsub/b.txt:1:beta';
  const content = { mode: 'content', filenames: [], content: lines, numLines: 2, totalLines: 2 };
  assert.deepEqual(search('Grep', { text: lines, native: content }, { pattern: 'beta', path: 'src' }), [
    { type: 'code', content: lines, metadata: { pattern: 'beta', path: 'src', matches: 2 } },
  ]);
  const files = { mode: 'files_with_matches', filenames: ['a.txt', 'b.txt'], numFiles: 2 };
  assert.deepEqual(search('Grep', { text: 'Found 2 files\na.txt\nb.txt', native: files }), [
    { type: 'code', content: 'a.txt\nb.txt', metadata: { pattern: 'beta', matches: 2 } },
  ]);
  const cut = { filenames: ['a.txt'], numFiles: 1, totalMatches: 300, truncated: true };
  assert.deepEqual(search('Glob', { text: 'a.txt', native: cut }), [
    { type: 'code', content: 'a.txt', metadata: { pattern: 'beta', matches: 300, truncated: true } },
  ]);
});

test('[VW16] where there is only text, the words around the matches are taken off', () => {
  const found = [
    ['Grep', 'Found 2 files\na.txt\nb.txt', 'a.txt\nb.txt', { matches: 2 }],
    ['grep', 'Found 1 matches\n/x/a.txt:\n  Line 2: beta', '/x/a.txt:\n  Line 2: beta', { matches: 1 }],
    ['glob', '/x/a.txt\n/x/b.txt\n\n(Results are truncated)', '/x/a.txt\n/x/b.txt', { truncated: true }],
    ['list_directory', 'Directory listing for /x:\n[DIR] sub\na.txt', '[DIR] sub\na.txt', {}],
    ['ls', 'a.txt\nsub/', 'a.txt\nsub/', {}],
  ] as const;
  for (const [name, text, content, notes] of found)
    assert.deepEqual(
      search(name, { text }),
      [{ type: 'code', content, metadata: { pattern: 'beta', ...notes } }],
      name,
    );
});

test('[VW16] a search that found nothing, or failed, has no view, and none before it ran', () => {
  const empty = { mode: 'content', filenames: [], content: '', numLines: 0 };
  assert.deepEqual(search('Grep', { text: 'No matches found', native: empty }), []);
  for (const text of ['No files found', 'No matches found', 'No files found matching pattern "x" within /x', ''])
    assert.deepEqual(search('glob', { text }), [], text);
  assert.deepEqual(search('Grep', { text: 'Path does not exist', is_error: true }), []);
  assert.deepEqual(viewsOfToolCall({ name: 'Grep', parameters: { pattern: 'x' } }), []);
});

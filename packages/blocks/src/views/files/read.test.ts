import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { languageOfPath } from './language.ts';
import { viewsOfToolResult } from '../tool-views.ts';

const read = (name: string, parameters: unknown, text: string) => viewsOfToolResult({ name, parameters }, { text });

test('[VW11] numbered lines give back the file from its first line on', () => {
  const lines = fc.array(fc.constantFrom('a', '', '1\tb', ' 2→c', '\tx', '🧵'), { minLength: 1 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 9999 }), fc.constantFrom('\t', '→'), (contents, start, separator) => {
      const text = contents
        .map((content, index) => `${String(start + index).padStart(6)}${separator}${content}`)
        .join('\n');
      assert.deepEqual(read('Read', { file_path: 'a.py' }, text), [
        { type: 'code', content: contents.join('\n'), language: 'python', filename: 'a.py', start_line: start },
      ]);
    }),
  );
});

test('[VW11] notes behind the lines are left out; other text is not taken for a file', () => {
  const note = '1\ta\n2\tb\n\n<system-reminder>Beware.</system-reminder>';
  assert.deepEqual(read('Read', {}, note), [{ type: 'code', content: 'a\nb', start_line: 1 }]);
  for (const text of ['File unchanged since last read.', '1\ta\nb', '1\ta\n3\tb', '1\ta\n2→b', '1: a']) {
    assert.deepEqual(read('Read', {}, text), [], text);
  }
});

test('[VW11][VW15] the tags of opencode are taken off, and the number of lines read from its note', () => {
  const body = '1: a\n2: \n3: b\n\n(End of file - total 3 lines)\n';
  assert.deepEqual(
    read('read', { filePath: 'x.go' }, `<path>x.go</path>\n<type>file</type>\n<content>\n${body}</content>`),
    [{ type: 'code', content: 'a\n\nb', language: 'go', filename: 'x.go', start_line: 1, total_lines: 3 }],
  );
  assert.deepEqual(read('read', {}, '<file>\n00005| a\n00006| b\n\n(File has more lines.)\n</file>'), [
    { type: 'code', content: 'a\nb', start_line: 5 },
  ]);
});

test('[VW11][VW15] the notes of Gemini CLI and pi about a cut are taken off', () => {
  const cut =
    '\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 11-20 of 300 total lines.\nAction: read on.\n\n--- FILE CONTENT (truncated) ---\na\nb';
  assert.deepEqual(read('read_file', { file_path: 'f' }, cut), [
    { type: 'code', content: 'a\nb', filename: 'f', start_line: 11, total_lines: 300 },
  ]);
  assert.deepEqual(
    read('read', { path: 'f', offset: 5 }, 'a\nb\n\n[Showing lines 5-6 of 90. Use offset=7 to continue.]'),
    [{ type: 'code', content: 'a\nb', filename: 'f', start_line: 5, total_lines: 90 }],
  );
  assert.deepEqual(read('read', {}, 'a\n\n[9 more lines in file. Use offset=2 to continue.]'), [
    { type: 'code', content: 'a', start_line: 1 },
  ]);
  assert.deepEqual(read('read_file', { start_line: 3 }, 'a\n\n[b]'), [
    { type: 'code', content: 'a\n\n[b]', start_line: 3 },
  ]);
});

test('[VW11] a file that speaks of cuts, and a listing of a folder, are not taken for a file that was cut', () => {
  const text = 'The list is truncated\n--- FILE CONTENT ---\na';
  assert.deepEqual(read('read_file', {}, text), [{ type: 'code', content: text, start_line: 1 }]);
  const display = { type: 'directory', path: '/project', text: 'a\nb' };
  const native = { state: { status: 'completed', metadata: { display } } };
  assert.deepEqual(viewsOfToolResult({ name: 'read', parameters: {} }, { native }), []);
});

test('[VW10][VW15] a file that Claude Code cut at its token limit is marked', () => {
  const file = { filePath: 'a.txt', content: 'a', startLine: 1, totalLines: 900, truncatedByTokenCap: true };
  assert.deepEqual(viewsOfToolResult({ name: 'Read', parameters: {} }, { native: { type: 'text', file } }), [
    { type: 'code', content: 'a', filename: 'a.txt', start_line: 1, total_lines: 900, metadata: { truncated: true } },
  ]);
});

test('[VW12] what is not base64, or of no known kind, is not a picture', () => {
  const views = (base64: string, type?: string) =>
    viewsOfToolResult({ name: 'Read', parameters: {} }, { native: { type: 'image', file: { base64, type } } });
  assert.equal(views('iVBORw0KGgo=').length, 1);
  assert.equal(views('AAAA', 'image/png').length, 1);
  for (const data of ['', 'AA AA', 'AAAA"', 'data:,x']) assert.deepEqual(views(data, 'image/png'), [], data);
  assert.deepEqual(views('AAAA'), []);
  assert.deepEqual(views('AAAA', 'image/png,evil/x'), []);
});

test('[VW14] the language comes from the name or the extension', () => {
  const cases: readonly [path: string, language: string | undefined][] = [
    ['src/a.ts', 'typescript'],
    ['C:\\x\\App.TSX', 'tsx'],
    ['/a/Dockerfile', 'dockerfile'],
    ['Makefile', 'makefile'],
    ['.bashrc', 'bash'],
    ['a.tar.gz', undefined],
    ['notes.txt', undefined],
    ['constructor', undefined],
    ['a.b/c', undefined],
    ['', undefined],
  ];
  for (const [path, language] of cases) assert.equal(languageOfPath(path), language, path);
});

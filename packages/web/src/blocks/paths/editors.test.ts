import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editorAddress, editorProblem, editors } from './editors.ts';

const base = { folder: '/home/user/code/tides' };
const [code] = editors;

function inCode(path: string, line?: number): string | undefined {
  return editorAddress(code?.address ?? '', path, base, line);
}

test('[WB383] a file in the folder of the conversation, or in the home folder, has an address in the editor', () => {
  assert.equal(
    inCode('/home/user/code/tides/src/a b#1.ts', 41),
    'vscode://file/home/user/code/tides/src/a%20b%231.ts:41',
  );
  assert.equal(inCode('/home/user/.bashrc'), 'vscode://file/home/user/.bashrc:1');
  const windows = { folder: 'D:\\tides' };
  assert.equal(
    editorAddress('vscode://file{path}:{line}', 'D:\\tides\\a.ts', windows),
    'vscode://file/D:/tides/a.ts:1',
  );
});

test('[WB383] other paths have none: relative ones, those that climb, and those of other people', () => {
  const others = [
    'src/a.ts',
    '~/a.ts',
    '/etc/passwd',
    '/home/bob/a.ts',
    '/home/user/code/tides/../../../bob/a',
    '/home/user-2/a',
  ];
  assert.deepEqual(
    others.filter((path) => inCode(path) !== undefined),
    [],
  );
  assert.equal(editorAddress('vscode://file{path}', '/a', { folder: '/' }), undefined);
});

test('[WB383] an address that a browser would run or open itself is no editor', () => {
  const bad = [
    'javascript:alert("{path}")',
    'data:text/html,{path}',
    'https://example.org/{path}',
    ' vscode://{path}',
    'vscode://file',
  ];
  assert.deepEqual(
    bad.filter(
      (address) => editorProblem(address) === undefined || editorAddress(address, '/home/user/a', base) !== undefined,
    ),
    [],
  );
  for (const { address } of editors) assert.equal(editorProblem(address), undefined, address);
});

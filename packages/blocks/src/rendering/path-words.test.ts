import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fullPathIn, pathWords, splitPath } from './path-words.ts';

const folder = '/home/user/code/tides';

test('[WB380] a path is told from the folder of the conversation, else from the home folder, and stays whole elsewhere', () => {
  const told = (path: string, home?: string): string => pathWords(path, { folder, home });
  assert.equal(told('/home/user/code/tides/src/a.ts'), 'src/a.ts');
  assert.equal(told('src/a.ts'), 'src/a.ts');
  assert.equal(told('/home/user/code/tides'), 'tides');
  assert.equal(told('/home/user/code/tides-2/a.ts'), '~/code/tides-2/a.ts', 'a folder whose name begins like it');
  assert.equal(told('/home/user/.bashrc', '/home/user'), '~/.bashrc');
  assert.equal(told('/home/user/.bashrc'), '~/.bashrc', 'the folder tells whose home it is');
  assert.equal(told('/home/bob/.bashrc', '/home/user'), '/home/bob/.bashrc');
  assert.equal(pathWords('/home/user', { home: '/home/user/' }), '~');
  assert.equal(pathWords('/etc/passwd', { folder: '/' }), '/etc/passwd');
  assert.equal(pathWords('/etc/passwd', {}), '/etc/passwd');
});

test('[WB380] paths of Windows are told from their folders in any spelling', () => {
  const base = { folder: 'C:\\Users\\Ada\\tides' };
  assert.equal(pathWords('c:\\users\\ada\\tides\\src\\a.ts', base), 'src\\a.ts');
  assert.equal(pathWords('D:/Work/Tides/src/a.ts', { folder: 'D:\\work\\tides' }), 'src/a.ts');
  assert.equal(pathWords('C:\\Users\\Ada\\notes.md', base), '~\\notes.md');
  assert.deepEqual(splitPath('C:\\Users\\a.ts'), { folder: 'C:\\Users\\', name: 'a.ts' });
});

test('[WB380] the whole path leads back from what is told, and the parts of a path are the path', () => {
  const part = fc.stringMatching(/^[\w .#-]{1,8}$/u).filter((name) => name !== '.' && name !== '..');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const path = `${folder}/${parts.join('/')}`;
      assert.equal(fullPathIn(pathWords(path, { folder }), folder), path);
      const { folder: within, name } = splitPath(path);
      assert.equal(within + name, path);
      assert.ok(!name.includes('/'));
    }),
  );
});

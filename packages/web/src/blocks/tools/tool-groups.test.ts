import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupLine } from './tool-groups.ts';

const base = { folder: '/home/ada/tides' };
const read = (path: string) => ({ name: 'Read', parameters: { file_path: `/home/ada/tides/${path}` } });
const find = (pattern: string) => ({ name: 'Grep', parameters: { pattern } });
const run = (command: string) => ({ name: 'Bash', parameters: { command } });

test('[WB381] reads are told by the names of their files, at most four, a repeated one with how often', () => {
  const files = ['src/map/Near.tsx', 'src/List.tsx', 'src/search.ts', 'src/search.ts', 'src/load.ts', 'bench/a.ts'];
  assert.deepEqual(groupLine(files.map(read), base), {
    words: 'Read 5 files',
    about: 'Near.tsx, List.tsx, search.ts twice, load.ts, …',
  });
  assert.equal(groupLine([read('a/index.ts'), read('b/index.ts')], base).about, 'a/index.ts, b/index.ts');
});

test('[WB381] reads and searches are told together, commands without the folder that they go to first', () => {
  assert.deepEqual(groupLine([find('tide'), read('a.ts'), find('moon')], base), {
    words: 'Read 1 file, searched twice',
    about: 'a.ts, tide, moon',
  });
  assert.equal(groupLine([find('tide'), find('moon'), find('sun')], base).words, 'Searched 3 times');
  assert.deepEqual(groupLine([run('cd /home/ada/tides && npm test'), run('git add -A\n'), run('ls')], base), {
    words: 'Ran 3 commands',
    about: 'npm test, git add -A, ls',
  });
});

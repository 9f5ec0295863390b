import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, writeFiles } from '../checks/testing/planted-repository.ts';
import { showProgress } from './install-progress.mjs';

test('[RP10] off a terminal lines say how many of the packages for this machine have arrived', (t) => {
  const root = temporaryDirectory(t);
  const packages = {
    '': {},
    'packages/blocks': {},
    'node_modules/@loom/blocks': { link: true },
    'node_modules/zod': {},
    'node_modules/node': {},
    'node_modules/tool-here': { optional: true, os: [process.platform], cpu: [process.arch], libc: ['glibc'] },
    'node_modules/tool-there': { optional: true, os: ['aix'] },
    'node_modules/tool-musl': { optional: true, os: [process.platform], libc: ['musl'] },
    'node_modules/for-webassembly': { optional: true },
  };
  const lines: string[] = [];
  let tick = (): void => assert.fail('nothing was started');
  const end = showProgress(root, { packages }, { isTTY: false, write: (text) => lines.push(text) }, (action) => {
    tick = action;
    return () => (tick = () => lines.push('ended'));
  });
  writeFiles(root, { 'node_modules/zod/package.json': '{}' });
  tick();
  writeFiles(root, { 'node_modules/node/package.json': '{}', 'node_modules/tool-here/package.json': '{}' });
  tick();
  end();
  tick();
  assert.deepEqual(
    lines.map((line) => line.replace(/\d+ s/u, 'n s')),
    ['  1 of 3 packages (n s)\n', '  3 of 3 packages, fetching the pinned Node (n s)\n', 'ended'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptExports, checkExports } from './exports.ts';
import { cleanFile, manifest, plantRepository, writeFiles } from './testing/planted-repository.ts';
import { readText } from './repository.ts';

const snapshot = 'packages/blocks/exports.snap.txt';

test('[CK17] names that come, go or change kind are found until they are accepted', (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/index.ts': "export { greet as welcome } from './greeting.ts';\nexport const Greeting = 'x';\n",
  });
  const [finding, ...others] = checkExports(root);
  assert.equal(others.length, 0);
  assert.equal(finding?.file, snapshot);
  assert.deepEqual(finding.message.split('\n').slice(1), [
    '  new:  Greeting value (@loom/blocks)',
    '  new:  welcome value (@loom/blocks)',
    '  gone: Greeting type (@loom/blocks)',
    '  gone: greet value (@loom/blocks)',
  ]);
  assert.deepEqual(acceptExports(root), [snapshot]);
  assert.deepEqual(checkExports(root), []);
  assert.deepEqual(acceptExports(root), []);
});

test('[CK17] names are followed through re-exports, each with its kind', (t) => {
  const root = plantRepository(t, {
    'packages/blocks/package.json': manifest({
      name: '@loom/blocks',
      exports: { '.': './src/index.ts', './more': './src/more.ts' },
    }),
    'packages/blocks/src/index.ts':
      "export * from './all.ts';\nexport type * from './types.ts';\nexport * as greetings from './greeting.ts';\nexport { z } from 'zod';\nexport default 1;\n",
    'packages/blocks/src/all.ts': `import { greet } from './greeting.ts';
export * from './index.ts';
export { greet };
export const both = 1;
export type both = number;
interface Local {}
export { type Local };
export const { first, second: [third] } = given;
export class Thing {}
export default 2;
`,
    'packages/blocks/src/types.ts': 'export const erased = 1;\nexport interface Kept {}\n',
    'packages/blocks/src/more.ts':
      'interface Local {}\nfunction local() {}\nexport { Local, local, local as again };\n',
  });
  acceptExports(root);
  assert.equal(
    readText(root, snapshot),
    `@loom/blocks
  Kept type
  Local type
  Thing value
  both type
  both value
  default value
  first value
  greet value
  greetings value
  third value
  z value

@loom/blocks/more
  Local type
  again value
  local value
`,
  );
});

test('[CK17] a star over a library and a re-export of a missing file are found', (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/index.ts': `${cleanFile('packages/blocks/src/index.ts')}export * from 'zod';\nexport * from './nowhere.ts';\n`,
  });
  assert.deepEqual(
    checkExports(root).map(({ file }) => file),
    ['packages/blocks/src/index.ts', 'packages/blocks/src/nowhere.ts'],
  );
});

test('[CK17] an entry that depends on conditions is found, since no check could follow it', (t) => {
  const root = plantRepository(t, {
    'packages/blocks/package.json': manifest({
      name: '@loom/blocks',
      exports: { '.': './src/index.ts', './more': { default: './src/more.ts' } },
    }),
  });
  assert.deepEqual(
    checkExports(root).map(({ file, message }) => `${file} ${message.split(':')[0]}`),
    ['packages/blocks/package.json name one file for the entry "./more"'],
  );
});

test('[CK17] an entry for tests is not public', (t) => {
  const root = plantRepository(t, {
    'packages/blocks/package.json': manifest({
      name: '@loom/blocks',
      exports: { '.': './src/index.ts', './testing': './src/testing/index.ts' },
    }),
    'packages/blocks/src/testing/index.ts': 'export const arbitrary = 1;\n',
  });
  assert.deepEqual(checkExports(root), []);
});

test('[CK17] a package without entries needs no snapshot and loses an old one', (t) => {
  const root = plantRepository(t, { 'packages/blocks/package.json': manifest({ name: '@loom/blocks' }) });
  assert.equal(checkExports(root).length, 1);
  acceptExports(root);
  assert.deepEqual(checkExports(root), []);
  writeFiles(root, { 'packages/blocks/package.json': cleanFile('packages/blocks/package.json') });
  assert.match(checkExports(root)[0]?.message ?? '', /no snapshot of the public names yet/u);
});

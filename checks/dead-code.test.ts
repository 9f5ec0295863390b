import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDeadCode } from './dead-code.ts';
import { cleanFile, manifest, plantRepository, writeFiles } from './testing/planted-repository.ts';

const greeting = cleanFile('packages/blocks/src/greeting.ts');
const greetingTest = cleanFile('packages/blocks/src/greeting.test.ts');

test('[CK13] a file, an export and a dependency without use are found', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/forgotten.ts': 'export const forgotten = 1;\n',
    'packages/blocks/src/greeting.ts': `${greeting}\nexport const unused = 2;\n\nexport interface Unused {}\n\nexport type Inner = 1;\n\nexport type Outer = Inner;\n`,
    'packages/blocks/package.json': cleanFile('packages/blocks/package.json').replace(
      '"type"',
      '"dependencies": { "zod": "4.6.7" },\n  "type"',
    ),
  });
  const findings = await checkDeadCode(root);
  assert.deepEqual(findings.map(({ file, message }) => `${file} ${message}`).sort(), [
    'packages/blocks/package.json nothing imports zod: remove it from the dependencies',
    'packages/blocks/src/forgotten.ts nothing imports this file: delete it, or import it where it is meant to be used',
    'packages/blocks/src/greeting.ts nothing imports the type Outer: delete it or its `export`',
    'packages/blocks/src/greeting.ts nothing imports the type Unused: delete it or its `export`',
    'packages/blocks/src/greeting.ts nothing imports unused: delete it or its `export`',
  ]);
});

test('[CK13] a file without use is found wherever it lies and whatever its kind', async (t) => {
  const files = ['packages/blocks/lib/a.ts', 'packages/blocks/src/a.js', 'scripts/a.mjs', 'stray.ts', 'tools/a.ts'];
  const root = plantRepository(t, Object.fromEntries(files.map((file) => [file, 'export const forgotten = 1;\n'])));
  const findings = await checkDeadCode(root);
  assert.deepEqual(findings.map(({ file }) => file).sort(), files);
});

test('[CK13] what only its own test uses is found, but not what its file uses as well', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/greeting.ts': `${greeting.replace('Hello', '${word}')}\nexport const word = 'Hello';\n\nexport const orphan = 1;\n`,
    'packages/blocks/src/greeting.test.ts': `${greetingTest.replace('{ greet }', '{ greet, orphan, word }')}\nassert.ok(orphan && word);\n`,
  });
  const findings = await checkDeadCode(root);
  assert.deepEqual(
    findings.map(({ message }) => message),
    ['nothing imports orphan: delete it or its `export` (tests aside)'],
  );
});

test('[CK14] an import that no package.json declares is found, and one that only the root declares', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/index.ts':
      "export { greet } from './greeting.ts';\nexport { parse } from 'some-parser';\nexport { z } from 'root-only';\n",
    'package.json': manifest({
      name: 'planted',
      type: 'module',
      workspaces: ['packages/*'],
      dependencies: { 'root-only': '1.0.0' },
      devDependencies: { '@types/node': '26.6.6' },
    }),
  });
  for (const name of ['some-parser', 'root-only']) {
    writeFiles(root, {
      [`node_modules/${name}/package.json`]: manifest({ name, exports: './index.js' }),
      [`node_modules/${name}/index.js`]: '',
    });
  }
  const findings = await checkDeadCode(root);
  const unlisted = findings.filter(({ message }) => message.startsWith('list '));
  assert.deepEqual(unlisted.map(({ file, message }) => `${file} ${message.split(' ')[1]}`).sort(), [
    'packages/blocks/src/index.ts root-only',
    'packages/blocks/src/index.ts some-parser',
  ]);
});

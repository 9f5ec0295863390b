import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanFile, manifest, plantRepository, writeFiles } from './testing/planted-repository.ts';
import { checkTypes, readDiagnostics } from './types.ts';

test('[CK2] type errors are found in sources and in tests, once each', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/greeting.ts': cleanFile('packages/blocks/src/greeting.ts').replace('Greeting {', 'number {'),
    'packages/blocks/src/other.test.ts': "export const length: number = 'three';\n",
  });
  const findings = await checkTypes(root);
  assert.deepEqual(findings.map(({ file, line }) => `${file}:${line}`).sort(), [
    'packages/blocks/src/greeting.ts:4',
    'packages/blocks/src/other.test.ts:1',
  ]);
});

test('[CK2] a change is seen whatever the times of the files say', async (t) => {
  const root = plantRepository(t);
  assert.deepEqual(await checkTypes(root), []);
  const file = 'packages/blocks/src/greeting.ts';
  writeFiles(root, { [file]: cleanFile(file).replace('Greeting {', 'number {') });
  utimesSync(join(root, file), 0, 0);
  assert.deepEqual(
    (await checkTypes(root)).map((finding) => finding.file),
    [file],
  );
});

test('[CK3] a global of Node in a package without node: is found, though the sources around it may use it', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/index.ts': `${cleanFile('packages/blocks/src/index.ts')}export const bytes = Buffer.from('text').length;\n`,
    'scripts/tool.ts': "export const bytes = Buffer.from('text').length;\n",
  });
  const findings = await checkTypes(root);
  assert.equal(findings.length, 1);
  assert.equal(findings[0]?.file, 'packages/blocks/src/index.ts');
  assert.match(findings[0].message, /'Buffer'/u);
});

test('[CK3] a package without node: that no second program includes is found', async (t) => {
  const root = plantRepository(t, {
    'packages/kernel/package.json': manifest({ name: '@loom/kernel', type: 'module' }),
    'tsconfig.pure.json': cleanFile('tsconfig.pure.json').replace(/"packages\/kernel\/src",\s*/u, ''),
  });
  const findings = await checkTypes(root);
  assert.deepEqual(
    findings.map(({ file, message }) => [file, /"packages\/kernel\/src"/u.test(message)]),
    [['tsconfig.pure.json', true]],
  );
});

test('[CK29] the methods of typed arrays for base64 are found, in tests too', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/bytes.ts': 'export const text = new Uint8Array(2).toBase64();\n',
    'packages/blocks/src/bytes.test.ts': "export const bytes = Uint8Array.fromBase64('AAA=');\n",
  });
  const findings = await checkTypes(root);
  assert.deepEqual(findings.map(({ file }) => file).toSorted(), [
    'packages/blocks/src/bytes.test.ts',
    'packages/blocks/src/bytes.ts',
  ]);
});

test('[CK2] a diagnostic of several lines stays together', () => {
  const output =
    "a.ts(3,1): error TS2322: Type 'A' is not assignable.\n  Type 'B' is missing.\nb.ts(1,1): error TS1: Other.\n";
  assert.deepEqual(readDiagnostics(output), [
    { file: 'a.ts', line: 3, message: "TS2322: Type 'A' is not assignable.\n  Type 'B' is missing." },
    { file: 'b.ts', line: 1, message: 'TS1: Other.' },
  ]);
});

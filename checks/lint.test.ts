import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFormat } from './format.ts';
import { checkLint } from './lint.ts';
import { cleanFile, plantRepository } from './testing/planted-repository.ts';

test('[CK4] a promise that is not awaited is found, which takes types to see', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/waiting.ts': "import { promise } from './promise.ts';\n\npromise();\n",
    'packages/blocks/src/promise.ts': 'export async function promise(): Promise<void> {}\n',
  });
  const findings = await checkLint(root);
  assert.deepEqual(
    findings.map(({ file, line }) => `${file}:${line}`),
    ['packages/blocks/src/waiting.ts:3'],
  );
  assert.match(findings[0]?.message ?? '', /no-floating-promises/u);
});

test('[CK4] a rule that only warns counts as well', async (t) => {
  const root = plantRepository(t, {
    '.oxlintrc.json': cleanFile('.oxlintrc.json').replace('"rules": {', '"rules": { "no-debugger": "warn",'),
    'packages/blocks/src/stop.ts': 'debugger;\n',
  });
  const findings = await checkLint(root);
  assert.deepEqual(
    findings.map(({ file, line }) => `${file}:${line}`),
    ['packages/blocks/src/stop.ts:1'],
  );
});

test('[CK4] no folder and no comment switches the linter or the type checker off', async (t) => {
  const broken = 'export const anything: any = 1;\n';
  const root = plantRepository(t, {
    'packages/blocks/.oxlintrc.json': '{ "rules": {} }\n',
    '.eslintignore': 'packages/blocks/src/ignored.ts\n',
    'packages/blocks/src/ignored.ts': broken,
    'packages/blocks/src/wished.ts': "// @ts-expect-error because I say so\nexport const n: number = 'three';\n",
    'packages/blocks/src/wished.test.ts':
      "// @ts-expect-error a text is no number\nexport const n: number = 'three';\n",
    'packages/blocks/src/node-types.ts': '/// <reference types="node" />\nexport const none = 1;\n',
  });
  const findings = await checkLint(root);
  assert.deepEqual(findings.map(({ file, line }) => `${file.split('/').at(-1)}:${line}`).sort(), [
    'ignored.ts:1',
    'node-types.ts:1',
    'wished.ts:1',
  ]);
});

test('[CK5] a file in another format is found', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/odd.ts': 'export const odd = "quotes"\n',
    'packages/blocks/.oxfmtrc.json': '{ "singleQuote": false, "semi": false }\n',
  });
  const findings = await checkFormat(root);
  assert.deepEqual(
    findings.map(({ file }) => file),
    ['packages/blocks/src/odd.ts'],
  );
});

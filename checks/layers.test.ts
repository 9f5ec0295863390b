import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLayers } from './layers.ts';
import { cleanFile, manifest, plantRepository } from './testing/planted-repository.ts';

const packages = {
  'packages/blocks/package.json': manifest({
    name: '@loom/blocks',
    exports: { '.': './src/index.ts' },
    dependencies: { zod: '4.6.7', yjs: '13.6.33' },
    devDependencies: { marked: '18.2.0' },
  }),
  'packages/kernel/package.json': manifest({
    name: '@loom/kernel',
    exports: { '.': './src/index.ts' },
    dependencies: { '@loom/blocks': '0.1.0' },
  }),
  'packages/sync/package.json': manifest({
    name: '@loom/sync',
    exports: { '.': './src/index.ts' },
    dependencies: { '@loom/blocks': '0.1.0', '@loom/kernel': '0.1.0' },
  }),
  'packages/stores/package.json': manifest({
    name: '@loom/stores',
    exports: { './memory': './src/memory.ts' },
    dependencies: { pg: '8.23.1' },
    devDependencies: { ai: '7.0.169' },
  }),
};

/** The findings for one file with these imports, as `line message`. */
function judge(
  t: test.TestContext,
  file: string,
  text: string,
  planted: Readonly<Record<string, string>> = {},
): string[] {
  const root = plantRepository(t, { ...packages, [file]: text, ...planted });
  return checkLayers(root).map((finding) => `${finding.line} ${finding.message}`);
}

test('[CK6] a package may not import another one unless the table says so', (t) => {
  const findings = judge(t, 'packages/blocks/src/a.ts', "import { x } from '@loom/kernel';\n");
  assert.deepEqual(findings, ['1 @loom/blocks may not import @loom/kernel (table of ARCHITECTURE.md)']);
});

test('[CK9] what only tests take from another package may be a development dependency', (t) => {
  const stores = manifest({
    name: '@loom/stores',
    exports: { './memory': './src/memory.ts' },
    devDependencies: { '@loom/kernel': '0.1.0' },
  });
  const planted = { 'packages/stores/package.json': stores };
  const text = "import { x } from '@loom/kernel';\n";
  assert.deepEqual(judge(t, 'packages/stores/src/a.test.ts', text, planted), []);
  const findings = judge(t, 'packages/stores/src/a.ts', text, planted);
  assert.deepEqual(findings, ['1 list @loom/kernel in the dependencies of packages/stores/package.json']);
});

test('[CK6] every form of import is judged: static, dynamic, re-exported, of types, required and resolved', (t) => {
  const lines = [
    "import fs from 'node:fs';",
    "import 'node:path';",
    "import type { Stats } from 'node:fs';",
    "export { join } from 'node:path';",
    "export * from 'node:path';",
    "export type { Dirent } from 'node:fs';",
    "export const lazy = () => import('node:os');",
    'export const template = () => import(`node:os`);',
    "export type Remote = import('node:net').Socket;",
    "export const old = require('node:os');",
    "export const builtin = process.getBuiltinModule('node:os');",
    "export const place = import.meta.resolve('node:os');",
    "import legacy = require('node:os');",
    "export const member = module.require('node:os');",
    "export const resolved = require.resolve('node:os');",
    "export const quoted = process['getBuiltinModule']('node:os');",
  ];
  const findings = judge(t, 'packages/blocks/src/a.ts', lines.join('\n'));
  assert.deepEqual(
    findings.map((finding) => Number.parseInt(finding, 10)),
    lines.map((_, index) => index + 1),
  );
  for (const finding of findings) assert.match(finding, /must run in a browser/u);
});

test('[CK6] a library has to be in the table, and a module of Node is written with node:', (t) => {
  const text =
    "import * as Y from 'yjs';\nimport { z } from 'zod/v4';\nimport fs from 'fs';\nimport x from '#x';\nawait import(place);\n";
  assert.deepEqual(judge(t, 'packages/blocks/src/a.ts', text), [
    '1 @loom/blocks may not use yjs (table of ARCHITECTURE.md)',
    '3 write node:fs',
    '4 import "#x" by a relative path or a package name',
    '5 name the module by a plain string, so that it can be checked',
  ]);
});

test('[CK6] a loader of its own making is refused, since it cannot be told what it loads', (t) => {
  const text = "import { createRequire } from 'node:module';\nexport const load = createRequire(import.meta.url);\n";
  assert.deepEqual(judge(t, 'packages/stores/src/a.ts', text), [
    '2 name the module by a plain string, so that it can be checked',
  ]);
});

test('[CK7] of a package open to types only nothing may remain at run time', (t) => {
  const text = [
    "import type { Log } from '@loom/kernel';",
    "export type { Forest } from '@loom/kernel';",
    "import { type Change } from '@loom/kernel';",
    "export * from '@loom/kernel';",
  ].join('\n');
  assert.deepEqual(judge(t, 'packages/sync/src/a.ts', text), [
    '3 @loom/sync may take only types from @loom/kernel: write `import type`',
    '4 @loom/sync may take only types from @loom/kernel: write `import type`',
  ]);
});

test('[CK8] packages reach each other by name and through their entries', (t) => {
  const text = [
    "import '../../blocks/src/index.ts';",
    "import '@loom/blocks/src/greeting.ts';",
    "import '@loom/kernel';",
    "import '@loom/nobody';",
    "import '../../../scripts/tool.ts';",
    "import './own.ts';",
  ].join('\n');
  assert.deepEqual(judge(t, 'packages/kernel/src/a.ts', text), [
    '1 import @loom/blocks by its name instead of "../../blocks/src/index.ts"',
    '2 @loom/blocks does not export "./src/greeting.ts"; import one of .',
    '3 inside @loom/kernel import by relative path',
    '4 there is no package @loom/nobody',
    '5 "../../../scripts/tool.ts" leaves the package; a package uses nothing of the repository around it',
  ]);
});

test('[CK8] what a package uses is in its own package.json', (t) => {
  const text =
    "import '@loom/blocks';\nimport pg from 'pg';\nimport x from 'left-pad';\nimport { y } from 'ai';\nimport type { z } from 'ai';\n";
  assert.deepEqual(judge(t, 'packages/stores/src/a.ts', text), [
    '1 list @loom/blocks in the dependencies of packages/stores/package.json',
    '3 list left-pad in the dependencies of packages/stores/package.json',
    '4 list ai in the dependencies of packages/stores/package.json',
  ]);
});

test('[CK8] files outside the packages use their entries and the root package.json', (t) => {
  const text =
    "import '../packages/blocks/src/index.ts';\nimport '@loom/blocks';\nimport 'zod';\nimport '@types/node';\nimport 'node:fs';\n";
  assert.deepEqual(judge(t, 'scripts/a.ts', text), [
    '1 import @loom/blocks by its name instead of "../packages/blocks/src/index.ts"',
    '3 list zod in the devDependencies of the root package.json',
  ]);
});

test('[CK9] tests may use node:, development dependencies and the memory store', (t) => {
  const text = [
    "import fs from 'node:fs';",
    "import '@types/node';",
    "import { marked } from 'marked';",
    "import { memory } from '@loom/stores/memory';",
    "import { kernel } from '@loom/kernel';",
  ].join('\n');
  const refused = ['5 @loom/blocks may not import @loom/kernel (table of ARCHITECTURE.md)'];
  assert.deepEqual(judge(t, 'packages/blocks/src/a.test.ts', text), refused);
  assert.deepEqual(judge(t, 'packages/blocks/src/testing/a.ts', text), refused);
});

test('[CK9] an entry for tests is open to tests of other packages, not to their sources', (t) => {
  const planted = {
    'packages/blocks/package.json': manifest({
      name: '@loom/blocks',
      exports: { './testing': './src/testing/index.ts' },
    }),
    'packages/kernel/src/a.test.ts': "import '@loom/blocks/testing';\n",
  };
  assert.deepEqual(judge(t, 'packages/kernel/src/a.ts', "import '@loom/blocks/testing';\n", planted), [
    '1 "@loom/blocks/testing" exists for tests only; move what is needed out of it',
  ]);
});

test('[CK9] the simulator may use what tests may, and only tests import it', (t) => {
  const planted = {
    'ARCHITECTURE.md': `${cleanFile('ARCHITECTURE.md')}| simulator | blocks | – | no |\n`,
    'packages/simulator/package.json': manifest({ name: '@loom/simulator', exports: { '.': './src/a.ts' } }),
  };
  const text = "import 'node:fs';\nimport '@loom/stores/memory';\n";
  assert.deepEqual(judge(t, 'packages/simulator/src/a.ts', text, planted), []);
  assert.deepEqual(judge(t, 'packages/blocks/src/b.ts', "import '@loom/simulator';\n", planted), [
    '1 "@loom/simulator" exists for tests only; move what is needed out of it',
  ]);
});

test('[CK9] sources import nothing that exists for tests', (t) => {
  const targets = ['./a.test.ts', './testing/arbitraries.ts', './fixtures/recorded.ts'];
  const text = targets.map((target) => `import '${target}';`).join('\n');
  assert.deepEqual(
    judge(t, 'packages/blocks/src/a.ts', text),
    targets.map((target, index) => `${index + 1} "${target}" exists for tests only; move what is needed out of it`),
  );
});

test('[CK10] rows that cannot be understood are found', (t) => {
  const table = (row: string): Record<string, string> => ({
    'ARCHITECTURE.md': `${cleanFile('ARCHITECTURE.md')}${row}\n`,
  });
  const judgeRow = (row: string): string => judge(t, 'packages/blocks/src/a.ts', '', table(row)).join('; ');
  assert.match(judgeRow('| tools | blocks | – |'), /^10 the row needs 4 cells, not 3/u);
  assert.match(judgeRow('| tools | blocks | – | maybe |'), /write yes or no/u);
  assert.match(judgeRow('| tools | blocks, most others | – | yes |'), /"most others" is not a package of this table/u);
  assert.match(judgeRow('| tools | all but nobody | – | yes |'), /"nobody" is not a package of this table/u);
  assert.match(judgeRow('| tools | blocks | react … | yes |'), /"react …" is not the name of an npm package/u);
  assert.match(judgeRow('| blocks | – | – | no |'), /blocks is in the table twice/u);
});

test('[CK10] a missing table, a package without a row and a package with another name are found', (t) => {
  const without = judge(t, 'packages/blocks/src/a.ts', '', { 'ARCHITECTURE.md': '# Nothing\n' });
  assert.match(without[0] ?? '', /add the table of packages/u);
  const added = judge(t, 'packages/tools/package.json', manifest({ name: 'tools' }));
  assert.deepEqual(added, ['undefined add a row for packages/tools', 'undefined name the package @loom/tools']);
});

test('[CK6] a scope in the table covers its packages, and "all but" the packages of the table', (t) => {
  const planted = {
    'ARCHITECTURE.md': cleanFile('ARCHITECTURE.md').replace('| – | zod |', '| – | zod, @hono/* |'),
    'packages/blocks/package.json': manifest({ name: '@loom/blocks', dependencies: { '@hono/ui': '1.0.0' } }),
    'packages/loom/package.json': manifest({
      name: '@loom/loom',
      dependencies: { '@loom/kernel': '0.1.0', '@loom/sync': '0.1.0' },
    }),
    'packages/loom/src/main.ts': "import '@loom/kernel';\nimport '@loom/sync';\n",
  };
  assert.deepEqual(judge(t, 'packages/blocks/src/a.ts', "import '@hono/ui';\n", planted), [
    '2 @loom/loom may not import @loom/sync (table of ARCHITECTURE.md)',
  ]);
});

test('[CK6] a row may open single entries of a package', (t) => {
  const planted = {
    'ARCHITECTURE.md': `${cleanFile('ARCHITECTURE.md')}| tools | blocks/views | – | no |\n`,
    'packages/blocks/package.json': manifest({
      name: '@loom/blocks',
      exports: { '.': './src/index.ts', './views': './src/views.ts' },
    }),
    'packages/tools/package.json': manifest({ name: '@loom/tools', dependencies: { '@loom/blocks': '0.1.0' } }),
  };
  const text = "import '@loom/blocks/views';\nimport '@loom/blocks';\n";
  assert.deepEqual(judge(t, 'packages/tools/src/a.ts', text, planted), [
    '2 @loom/tools may import only parts of @loom/blocks, not "@loom/blocks" (table of ARCHITECTURE.md)',
  ]);
});

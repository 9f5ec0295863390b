import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InnerWalls } from './inner-walls.ts';
import { checkLayers } from './layers.ts';
import { cleanFile, manifest, plantRepository } from './testing/planted-repository.ts';

const kernel = manifest({ name: '@loom/kernel', exports: { '.': './src/index.ts' } });

const order = `
| folder of kernel | may import | exceptions |
| --- | --- | --- |
| \`*.ts\` | – | – |
| state, text | \`*.ts\` | – |
| forest | all above but text | – |
| \`index.ts\` | all above | – |
`;

/** One file for each row of the order. */
const folders = {
  'packages/kernel/package.json': kernel,
  'packages/kernel/src/op.ts': '',
  'packages/kernel/src/state/state.ts': '',
  'packages/kernel/src/text/text.ts': '',
  'packages/kernel/src/forest/forest.ts': '',
  'packages/kernel/src/index.ts': '',
};

interface Planted {
  readonly order?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly lengths?: ReadonlyMap<string, number>;
}

/** The findings for a kernel with these folders, as `file:line message`. */
function judge(t: test.TestContext, { order: table = order, files = {}, lengths = new Map() }: Planted): string[] {
  const root = plantRepository(t, {
    ...folders,
    ...files,
    'ARCHITECTURE.md': `${cleanFile('ARCHITECTURE.md')}${table}`,
  });
  const place = ({ file, line }: { file: string; line?: number }): string =>
    line === undefined ? file : `${file}:${line}`;
  return checkLayers(root, new InnerWalls(root, lengths)).map((finding) => `${place(finding)} ${finding.message}`);
}

function refused(from: string, to: string): string {
  return `${from} may not import ${to}: move what it needs further down, or take it as a parameter (folders of kernel in ARCHITECTURE.md)`;
}

test('[CK25] folders import along the order of their table, in whatever form', (t) => {
  const files = {
    'packages/kernel/src/state/state.ts': "import '../op.ts';\nimport './own.ts';\n",
    'packages/kernel/src/forest/forest.ts': "import '../op.ts';\nimport type { S } from '../state/state.ts';\n",
    'packages/kernel/src/index.ts': "export * from './forest/forest.ts';\nexport { t } from './text/text.ts';\n",
  };
  assert.deepEqual(judge(t, { files }), []);
});

test('[CK25] an import of a folder below, beside or left out is found, of types too', (t) => {
  const files = {
    'packages/kernel/src/op.ts': "import type { S } from './state/state.ts';\n",
    'packages/kernel/src/state/state.ts': "import '../text/text.ts';\n",
    'packages/kernel/src/forest/forest.ts': "export { t } from '../text/text.ts';\nawait import('../index.ts');\n",
  };
  assert.deepEqual(judge(t, { files }), [
    `packages/kernel/src/forest/forest.ts:1 ${refused('forest', 'text')}`,
    `packages/kernel/src/forest/forest.ts:2 ${refused('forest', 'index.ts')}`,
    `packages/kernel/src/op.ts:1 ${refused('*.ts', 'state')}`,
    `packages/kernel/src/state/state.ts:1 ${refused('state', 'text')}`,
  ]);
});

test('[CK25] tests import across the order', (t) => {
  const files = {
    'packages/kernel/src/state/state.test.ts': "import '../forest/forest.ts';\n",
    'packages/kernel/src/testing/world.ts': "import '../forest/forest.ts';\n",
  };
  assert.deepEqual(judge(t, { files }), []);
});

test('[CK26] a folder without a row and a row without a folder are found', (t) => {
  const without = order.replace('| forest |', '| woods |');
  assert.deepEqual(judge(t, { order: without }), [
    'ARCHITECTURE.md add a row for packages/kernel/src/forest',
    'ARCHITECTURE.md:15 there is no packages/kernel/src/woods; remove it',
  ]);
});

test('[CK26] a row that cannot be understood, or that may import what stands below it, is found', (t) => {
  const judgeRow = (row: string): string => judge(t, { order: `${order}${row}\n` }).join('; ');
  assert.match(judgeRow('| state | – | – |'), /state is in the table twice/u);
  assert.match(judgeRow('| more | – |'), /the row needs 3 cells, not 2/u);
  assert.match(judgeRow('| more | most others | – |'), /"most others" is not a row above this one/u);
  assert.match(judgeRow('| more | – | nothing |'), /"nothing" is not a row of this table/u);
  assert.match(judgeRow('| more | all above | text |'), /text may be imported anyway; remove the exception/u);
  const upward = order.replace('| state, text | `*.ts` |', '| state, text | forest |');
  assert.match(judge(t, { order: upward }).join('; '), /"forest" is not a row above this one/u);
  const columns = judge(t, { order: order.replace('| may import | exceptions |', '| uses | exceptions |') });
  assert.match(columns.join('; '), /name the columns of the table of kernel/u);
});

test('[CK27] an exception allows one import against the order, until nothing needs it', (t) => {
  const excepted = order.replace('| state, text | `*.ts` | – |', '| state | `*.ts` | forest |\n| text | `*.ts` | – |');
  const lengths = new Map([['kernel', 1]]);
  const files = {
    'packages/kernel/src/state/state.ts': "import '../forest/forest.ts';\n",
    'packages/kernel/src/text/text.ts': "import '../forest/forest.ts';\n",
  };
  assert.deepEqual(judge(t, { order: excepted, files, lengths }), [
    `packages/kernel/src/text/text.ts:1 ${refused('text', 'forest')}`,
  ]);
  assert.deepEqual(judge(t, { order: excepted, lengths }), [
    'ARCHITECTURE.md:14 state does not import forest; remove the exception',
  ]);
});

test('[CK27] a list of exceptions only shrinks', (t) => {
  const excepted = order.replace(
    '| forest | all above but text | – |',
    '| forest | all above but text | text, index.ts |',
  );
  const files = {
    'packages/kernel/src/forest/forest.ts': "import '../text/text.ts';\nimport '../index.ts';\n",
  };
  const judgeLength = (length: number): string[] =>
    judge(t, { order: excepted, files, lengths: new Map([['kernel', length]]) });
  assert.deepEqual(judgeLength(2), []);
  assert.deepEqual(judgeLength(1), [
    'ARCHITECTURE.md kernel has 2 exceptions and may have 1: turn the new imports around, the list only shrinks',
  ]);
  assert.deepEqual(judgeLength(3), [
    'ARCHITECTURE.md kernel has 2 exceptions left: lower its number in checks/inner-walls.ts',
  ]);
});

test('[CK28] a closed file gets no new importers, and those that are gone leave the list', (t) => {
  const list = 'packages/kernel/importers.txt';
  const closed = `\n| closed file | importers |\n| --- | --- |\n| \`packages/kernel/src/op.ts\` | \`${list}\` |\n`;
  const importing = { 'packages/kernel/src/state/state.ts': "import '../op.ts';\n", [list]: 'src/state/state.ts\n' };
  const judgeClosed = (files: Readonly<Record<string, string>>, length = 1): string[] =>
    judge(t, { order: closed, files: { ...importing, ...files }, lengths: new Map([[list, length]]) });
  assert.deepEqual(judgeClosed({}), []);
  assert.deepEqual(judgeClosed({ 'packages/kernel/src/text/text.test.ts': "import '../op.ts';\n" }), []);
  assert.deepEqual(judgeClosed({ 'packages/kernel/src/text/text.ts': "import type { Op } from '../op.ts';\n" }), [
    'packages/kernel/src/text/text.ts:1 packages/kernel/src/op.ts gets no new importers: name what is needed in a small interface beside this file, and let the caller pass it in',
  ]);
  assert.deepEqual(judgeClosed({ 'packages/kernel/src/state/state.ts': '' }), [
    `${list}:1 packages/kernel/src/state/state.ts does not import packages/kernel/src/op.ts; remove the line`,
  ]);
  assert.deepEqual(judgeClosed({}, 0), [
    `${list} ${list} has 1 exception and may have 0: turn the new imports around, the list only shrinks`,
  ]);
});

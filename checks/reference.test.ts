import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defineOperation, kernelOperations } from '@loom/kernel';
import { z } from 'zod';
import { renderOperationTypes } from './operation-types.ts';
import { renderOperations } from './operations-reference.ts';
import { checkReference, writeReference } from './reference.ts';
import { plantRepository } from './testing/planted-repository.ts';

const planted = defineOperation({
  name: 'planted.count',
  summary: 'Counts what it is given.',
  params: () => z.strictObject({ words: z.array(z.string()).exactOptional().describe('What to count.') }),
  result: () => z.strictObject({ count: z.int(), of: z.enum(['words', 'letters']) }),
  effect: 'reads',
  run: async (_engine, _caller, { words = [] }) => ({ ok: true, value: { count: words.length, of: 'words' as const } }),
});

test('[OP1] an operation that another package defines stands in the reference, with all that its row says', () => {
  const text = renderOperations([...kernelOperations, planted]);
  const [, section = ''] = text.split('### planted.count\n');
  assert.match(section, /^\nCounts what it is given\.$/mu);
  assert.match(section, /^Reads; needs the role reader; offered at: library, command, http\.$/mu);
  assert.match(section, /^\| `words\?` \| `string\[\]` \| What to count\. \|$/mu);
  assert.match(section, /^Result: `\{ count: integer; of: "words" \| "letters" \}`$/mu);
  assert.match(section, /^Refused with: `invalid-params`, `not-permitted`\.$/mu);
});

test('[OP1] every operation of the kernel stands in the reference', () => {
  const text = renderOperations(kernelOperations);
  for (const { name, summary } of kernelOperations) assert.ok(text.includes(`### ${name}\n\n${summary}\n`), name);
});

test('[CK22] a reference that is not what the table says is found, and can be written again', (t) => {
  const root = plantRepository(t);
  assert.deepEqual(checkReference(root), [], 'a repository without operations needs none');
  mkdirSync(join(root, 'packages/kernel/src/operations'), { recursive: true });
  const files = [
    'docs/reference/operations.md',
    'docs/reference/openapi.json',
    'packages/kernel/src/operations/host/added-calls.ts',
  ];
  assert.deepEqual(
    checkReference(root).map(({ file }) => file),
    files,
  );
  assert.deepEqual(writeReference(root), files);
  assert.deepEqual([checkReference(root), writeReference(root)], [[], []]);
  for (const file of files) {
    writeFileSync(join(root, file), 'something else\n');
    assert.equal(checkReference(root)[0]?.file, file);
    writeReference(root);
  }
});

test('[CK22] a row of a package that the table does not know is found where it is defined', (t) => {
  const root = plantRepository(t);
  mkdirSync(join(root, 'packages/kernel/src/operations'), { recursive: true });
  writeReference(root);
  mkdirSync(join(root, 'packages/kites/src'), { recursive: true });
  const row = (name: string): string => `export const row = defineOperation({\n  name: '${name}',\n});\n`;
  writeFileSync(join(root, 'packages/kites/src/rows.ts'), `// Kites.\n${row('kite.fly')}${row('permission.list')}`);
  writeFileSync(join(root, 'packages/kites/src/rows.test.ts'), row('kite.fall'));
  const [found, ...others] = checkReference(root);
  assert.deepEqual([found?.file, found?.line, others], ['packages/kites/src/rows.ts', 2, []]);
  assert.match(found?.message ?? '', /^kite\.fly is missing from the reference/u);
});

test('[OP1] operations of tools stand in the reference, and as types for callers that may not import them', () => {
  const types = renderOperationTypes([planted]);
  assert.ok(types.includes("'planted.count': {\n    params: { words?: string[] };"), types);
  assert.ok(types.includes("result: { count: number; of: 'words' | 'letters' };"), types);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fieldsOf, toolSchemas } from './testing/schema-fields.ts';

interface Row {
  tool: string;
  part: string;
  seed: string;
  seedType: string;
  loom: string;
  loomType: string;
  optional: boolean;
  standard: string;
  difference: string;
}

const columns = ['part', 'seed', 'seed type', 'Loom', 'Loom type', 'optional', 'default', 'difference'];
const table = readTable(
  readFileSync(new URL('../../../../docs/spec/block-tools-seed-table.md', import.meta.url), 'utf8'),
);

function readTable(page: string): Row[] {
  const rows: Row[] = [];
  let tool = '';
  for (const line of page.split('\n')) {
    tool = /^## (\S+)$/.exec(line)?.[1] ?? tool;
    const cells = line.startsWith('|')
      ? line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim())
      : [];
    if (cells.length === 0 || cells[0] === '---') continue;
    assert.equal(cells.length, columns.length, line);
    if (cells[0] === 'part') {
      assert.deepEqual(cells, columns);
      continue;
    }
    const [part = '', seed = '', seedType = '', loom = '', loomType = '', optional, standard = '', difference = ''] =
      cells.map(bare);
    rows.push({ tool, part, seed, seedType, loom, loomType, optional: optional === 'yes', standard, difference });
  }
  return rows;
}

/** A cell without its code marks; a dash is nothing. */
function bare(cell: string): string {
  if (cell === '–') return '';
  return /^`[^`]*`$/.test(cell) ? cell.slice(1, -1) : cell;
}

/** Returns true if a type of the seed matches Loom's. */
function isSameType(seed: string, loom: string): boolean {
  const type = seed.replace(/\?$/, '');
  if (type === 'BlockId' || type === 'String' || type === 'BlockKind') return loom === 'string';
  if (type === 'u32' || type === 'u64') return loom === 'integer';
  if (type === 'bool') return loom === 'boolean';
  if (type === 'Object') return loom === 'object';
  if (type === 'Status') return loom === 'pending, running, done, error';
  if (type === 'Role') return false;
  if (type.startsWith('[')) return loom.startsWith('[');
  return type === loom;
}

test('[BT70] every tool of the table is there and every tool is in the table', () => {
  const named = new Set(table.map(({ tool }) => tool));
  assert.deepEqual([...named].toSorted(), toolSchemas.map(({ name }) => name).toSorted());
  // The tools for which seed 001 gives a signature.
  const seeded = new Set(table.filter(({ seed }) => seed !== '').map(({ tool }) => tool));
  const signatures = [
    'create',
    'status',
    'append',
    'edit',
    'splice',
    'apply_patch',
    'read',
    'search',
    'list',
    'subscribe',
    'sync',
    'undo',
  ];
  assert.deepEqual([...seeded].toSorted(), [...signatures.map((name) => `block.${name}`), 'kernel.search'].toSorted());
});

test('[BT70] the table has exactly the fields of the schemas, with their types, whether they are optional, and defaults', () => {
  for (const { name, params, result } of toolSchemas) {
    for (const [part, schema] of [
      ['parameter', params],
      ['result', result],
    ] as const) {
      const fields = fieldsOf(schema);
      const open = fields.filter((field) => field.open);
      const rows = table.filter((row) => row.tool === name && row.part === part);
      const isInside = ({ loom }: Row): boolean => open.some(({ path }) => loom.startsWith(`${path}.`));
      assert.deepEqual(
        rows.filter((row) => !isInside(row)).map(({ loom, loomType, optional }) => [loom, loomType, optional]),
        fields.map(({ path, type, optional }) => [path, type, optional]),
        `${name} ${part}`,
      );
      for (const row of rows.filter(isInside)) {
        const holder = open.find(({ path }) => row.loom.startsWith(`${path}.`));
        const key = row.loom.slice((holder?.path.length ?? 0) + 1);
        assert.ok(holder?.description.includes(key), `${name}: ${row.loom} is told of in the description`);
      }
      for (const { loom, standard } of rows) {
        const told = /Default: ([^.]+)\./.exec(fields.find(({ path }) => path === loom)?.description ?? '')?.[1] ?? '';
        assert.equal(standard, told, `the default of ${name} ${loom}`);
      }
    }
  }
});

test('[BT70] what differs from the seed has a reason', () => {
  for (const { tool, part, seed, seedType, loom, loomType, optional, difference } of table) {
    const title = `${tool} ${part} ${loom}`;
    if (seed === '') assert.notEqual(difference, '', `${title} is not in the seed, for a reason`);
    else {
      assert.equal(loom, seed, `${title} has the name of the seed`);
      const isInsideOpen = loomType === 'any';
      const isSame = (isInsideOpen || isSameType(seedType, loomType)) && seedType.endsWith('?') === optional;
      if (!isSame) assert.notEqual(difference, '', `${title}: ${seedType} became ${loomType}`);
    }
  }
});

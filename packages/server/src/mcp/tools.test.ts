import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelOperations } from '@loom/kernel';
import { tokenOperations } from '../access/token-operations.ts';
import { plainHtml } from '../sharing/testing/plain-html.ts';
import { openTokens } from '../access/tokens.ts';
import { offeredTools } from './tools.ts';

const keeper = { read: async () => [], write: async () => {} };
const operations = [...kernelOperations, ...tokenOperations(() => openTokens({ keeper, now: () => 0 }), plainHtml)];
const tools = [...offeredTools(operations).values()];

test('[MC1] the tools are the operations of this door: the block tools, the search, and what reads the forest and adds to it', () => {
  assert.deepEqual(
    tools.map(({ operation }) => operation.name).toSorted(),
    operations
      .filter(({ doors }) => doors.includes('mcp'))
      .map(({ name }) => name)
      .toSorted(),
  );
  const names = new Set(tools.map(({ tool }) => tool.name));
  for (const { name, doors } of kernelOperations) {
    if (doors.includes('model')) assert.ok(names.has(name.replaceAll('.', '_')), name);
  }
  for (const name of [
    'root_list',
    'root_get',
    'root_create',
    'node_append',
    'node_path',
    'tree_topology',
    'kernel_search',
  ])
    assert.ok(names.has(name), name);
});

test('[MC2] names work in every client, and no description has another name for a tool', () => {
  const dotted = new RegExp(
    `\\b(?:${tools.map(({ operation }) => operation.name.replace('.', '\\.')).join('|')})\\b`,
    'u',
  );
  for (const { tool } of tools) {
    assert.match(tool.name, /^[a-z][a-z0-9_]{0,63}$/u);
    assert.match(tool.description ?? '', /^[A-Z].{40,}\.$/su, tool.name);
    assert.doesNotMatch(JSON.stringify(tool), dotted, tool.name);
  }
});

test('[MC2] the schemas are objects, closed on the way in, and small enough to be read with every request', () => {
  for (const { tool } of tools) {
    assert.equal(tool.inputSchema.type, 'object');
    assert.equal(tool.inputSchema['additionalProperties'], false, tool.name);
    assert.equal(tool.outputSchema?.['type'], 'object', tool.name);
    assert.ok(JSON.stringify(tool.inputSchema).length < 3000, tool.name);
    for (const schema of [tool.inputSchema, tool.outputSchema])
      assert.doesNotMatch(JSON.stringify(schema), /\$ref|9007199254740991/u);
  }
  const whole = tools.map(({ tool }) => tool);
  const shown = whole.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const [bytes, shownBytes] = [JSON.stringify(whole).length, JSON.stringify(shown).length];
  assert.ok(bytes < 50_000 && shownBytes < 25_000, `${bytes} bytes, ${shownBytes} of which models are shown`);
});

test('[MC3] what reads says so, and what only adds is not destructive', () => {
  const hints = Object.fromEntries(tools.map(({ tool }) => [tool.name, tool.annotations]));
  assert.deepEqual(hints['block_read'], {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
  assert.deepEqual(hints['node_append'], {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  });
  assert.deepEqual(hints['block_edit'], {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  });
  for (const { tool, operation } of tools) assert.equal(tool.annotations?.readOnlyHint, operation.effect === 'reads');
});

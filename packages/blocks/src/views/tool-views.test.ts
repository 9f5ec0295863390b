import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePatch } from 'diff';
import { anyCharacters } from '../testing/index.ts';
import * as fc from 'fast-check';
import { toolBlock } from '../content-block.ts';
import type { ToolBlock } from '../content-block.ts';
import { isPlainObject } from '../values/plain-object.ts';
import { isList } from './foreign.ts';
import { viewsOfItem } from './item.ts';
import { toolsWithViews } from './table.ts';
import { readFixtures } from './testing/fixtures.ts';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';
import type { ToolCall, ToolResult } from './view.ts';

const recorded = (['claude-code', 'codex', 'other-agents'] as const).map(readFixtures);
const results = recorded.flatMap((fixtures) => fixtures.results);
const items = recorded.flatMap((fixtures) => fixtures.items);

const toolName = fc.constantFrom(...toolsWithViews);
const itemType = fc.constantFrom(
  'command_execution',
  'commandExecution',
  'FileChange',
  'file_change',
  'patch_apply_end',
  'todo_list',
  'web_search',
  'web_search_call',
  'mcp_tool_call',
  'image_generation_call',
  'local_shell_call',
);

// Arbitrary values hardly ever have the keys that views look for, so half of the values are made of those keys.
const words =
  'action aggregated_output base64 cells changes cmd command completed content data description details diff display duration edit_mode edits ' +
  'entries exit exit_code exitCode file filePath file_path filediff file_text functionResponse id image_url input insert_line isError isImage items kind ' +
  'lineStart lines message metadata mimeType move_path name newLines newStart newString newText newTodos new_source new_string oldLines oldStart ' +
  'oldString oldText old_string originalFile original_file output outputs parameters part patch path plan query rawInput resource result ' +
  'resultDisplay results secs nanos sessionUpdate source startLine start_line state status stderr stdout step structuredPatch subject success task taskId tasks text ' +
  'time title todos toolCallId totalLines type unified_diff updated_file url';
const leaf = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  anyCharacters,
  fc.constantFrom(0, 1, -1, 2 ** 53, 1e300, Number.NaN, true, false, null, ''),
  fc.constantFrom(
    'text',
    'image',
    'pdf',
    'notebook',
    'diff',
    'update',
    'add',
    'delete',
    'completed',
    'tool_call',
    'plan',
    'execute',
  ),
  fc.constantFrom(
    '@@ -1 +1 @@\n-a\n+b',
    ' a',
    '-a',
    '+a',
    'a.ts',
    '/bin/bash -lc true',
    'Exit code 3\nx',
    'https://example.org',
  ),
  fc.constantFrom(
    '*** Begin Patch\n*** Add File: a\n+b\n*** End Patch',
    'iVBORw0KGgo=',
    'data:image/png;base64,iVBORw0KGgo=',
  ),
);
const { value: nearMiss } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...words.split(' ')), tie('value'), { maxKeys: 8 }),
  ),
}));

/** A recorded value in which one part, anywhere, is replaced by something else. */
const mutated = (values: readonly unknown[]) =>
  fc
    .tuple(fc.constantFrom(...values), fc.nat(), nearMiss)
    .map(([value, place, replacement]) => replaceNth(value, place % countParts(value), replacement));

test('[VW1][VW2][VW32] any parameters, text and payload of any tool give valid blocks, or none', () => {
  fc.assert(
    fc.property(
      toolName,
      nearMiss,
      nearMiss,
      fc.option(fc.string(), { nil: undefined }),
      fc.boolean(),
      (name, parameters, native, text, failed) => {
        const call = { name, parameters };
        assertValid(viewsOfToolCall(call));
        assertValid(viewsOfToolResult(call, text === undefined ? { native } : { text, native, is_error: failed }));
      },
    ),
    { numRuns: 1500 },
  );
});

test('[VW1][VW2][VW32] any item gives valid blocks, or none', () => {
  fc.assert(
    fc.property(
      itemType,
      fc.dictionary(fc.constantFrom(...words.split(' ')), nearMiss),
      nearMiss,
      (type, item, other) => {
        assertValid(viewsOfItem({ ...item, type }));
        assertValid(viewsOfItem(other));
      },
    ),
    { numRuns: 1000 },
  );
});

test('[VW1][VW2][VW32] a recorded call, result or item with one part replaced gives valid blocks, or none', () => {
  fc.assert(
    fc.property(mutated(results), mutated(items), (entry, item) => {
      const call: unknown = isPlainObject(entry) ? entry['call'] : entry;
      const result: unknown = isPlainObject(entry) ? entry['result'] : entry;
      assertValid(viewsOfAnything(call, result));
      assertValid(viewsOfItem(isPlainObject(item) ? item['item'] : item));
    }),
    { numRuns: 1500 },
  );
});

test('[VW1] calls and results that are not objects, and cyclic ones, do no harm', () => {
  const cyclic: Record<string, unknown> = { name: 'Edit', type: 'file_change', command: 'x' };
  Object.assign(cyclic, {
    parameters: cyclic,
    native: cyclic,
    changes: cyclic,
    edits: [cyclic],
    file: cyclic,
    content: [cyclic],
  });
  for (const value of [undefined, null, 1, 'text', [], () => 1, Symbol('x'), 10n, cyclic]) {
    assertValid(viewsOfAnything(value, value));
    assertValid(viewsOfAnything({ name: 'Read', parameters: value }, { text: value, native: value, is_error: value }));
    assertValid(viewsOfItem(value));
  }
});

test('[VW3] tools that are not in the table have no view, whatever they are called', () => {
  for (const name of [
    'mcp__files__Read',
    'mcp__x__Bash',
    'mcp__files__Grep',
    'Agent',
    'Skill',
    'constructor',
    '__proto__',
    'toString',
    '',
    'bash ',
  ]) {
    const call = { name, parameters: { command: 'ls', file_path: 'a', content: 'b' } };
    assert.deepEqual(viewsOfToolCall(call), [], name);
    assert.deepEqual(viewsOfToolResult(call, { text: 'out', native: { stdout: 'out' } }), [], name);
  }
});

test('[VW4] whatever failed keeps nothing but commands', () => {
  let commands = 0;
  for (const { call, result } of results) {
    const blocks = viewsOfToolResult(call, { ...result, is_error: true });
    assert.ok(
      blocks.every((block) => block.type === 'command'),
      call.name,
    );
    commands += blocks.length;
  }
  assert.ok(commands > 10);
});

test('[VW4] a payload that says itself that it failed needs no flag', () => {
  const call = { name: 'Edit', parameters: { file_path: 'a', old_string: 'b', new_string: 'c' } };
  const failures = [
    'Error: no',
    { status: 'error' },
    { state: { status: 'error' } },
    { isError: true },
    { error: { message: 'no' } },
    { success: false },
  ];
  for (const native of failures) assert.deepEqual(viewsOfToolResult(call, { native }), []);
  assert.equal(viewsOfToolResult(call, { native: { status: 'success', error: '' } }).length, 1);
});

test('[VW5] input may be frozen, and results do not share what one of their owners may change', () => {
  for (const { call, result } of results) {
    freezeDeeply(call);
    freezeDeeply(result);
    const [first, second] = [viewsOfToolResult(call, result), viewsOfToolResult(call, result)];
    assert.deepEqual(first, second);
    for (const block of [...first, ...viewsOfToolCall(call)]) if (block.metadata) block.metadata['spoilt'] = true;
    assert.deepEqual(viewsOfToolResult(call, result), second);
  }
});

test('[VW6][VW33] input made to take long does not take long', () => {
  const lines = (count: number, text: (line: number) => string) =>
    Array.from({ length: count }, (_, line) => `${text(line)}\n`).join('');
  const [old, young] = [lines(100_000, (line) => `old ${line}`), lines(100_000, (line) => `new ${line}`)];
  const [repeated, again] = [lines(30_000, (line) => `x${line % 2}`), lines(30_000, (line) => `x${line % 3}`)];
  const edit = { file_path: 'a', old_string: 'a', new_string: 'b'.repeat(1_000_000), replace_all: true };
  const diffs = Array.from({ length: 400 }, (_, file) => ({
    type: 'diff',
    path: `${file}`,
    oldText: lines(1500, (line) => `o${line}`),
    newText: lines(1500, (line) => `n${line}`),
  }));
  const native = { type: 'update', filePath: 'a', originalFile: old, content: young };
  const edits = Array.from({ length: 100_000 }, (_, line) => ({ old_string: `old ${line}\n`, new_string: '\n' }));
  const long: readonly (() => ToolBlock[])[] = [
    () =>
      viewsOfToolResult(
        { name: 'MultiEdit', parameters: { file_path: 'a', edits } },
        { native: { filePath: 'a', originalFile: old } },
      ),
    () => viewsOfToolResult({ name: 'Write', parameters: {} }, { native }),
    () =>
      viewsOfToolResult(
        { name: 'Write', parameters: {} },
        { native: { ...native, originalFile: repeated, content: again } },
      ),
    () => viewsOfToolCall({ name: 'MultiEdit', parameters: { file_path: 'a', edits: diffs } }),
    () => viewsOfItem({ sessionUpdate: 'tool_call_update', content: diffs }),
    () =>
      viewsOfToolResult(
        { name: 'Edit', parameters: edit },
        { native: { filePath: 'a', originalFile: 'a'.repeat(1_000_000) } },
      ),
    () =>
      viewsOfToolCall({
        name: 'apply_patch',
        parameters: `*** Begin Patch\n*** Update File: a\n${lines(100_000, () => '@@ x\n-a\n+b')}*** End Patch`,
      }),
    () =>
      viewsOfToolCall({
        name: 'apply_patch',
        parameters: `*** Begin Patch\n${lines(100_000, () => '*** Add File: a')}`,
      }),
    () => viewsOfToolResult({ name: 'Read', parameters: {} }, { text: lines(100_000, (line) => `${line + 1}\t`) }),
    () =>
      viewsOfToolResult(
        { name: 'run_shell_command', parameters: { command: 'x' } },
        { text: `Output: ${lines(100_000, () => 'Error: x')}Error: x` },
      ),
    () =>
      viewsOfToolResult({ name: 'exec_command', parameters: { cmd: 'x' } }, { text: 'Warning: x\n'.repeat(100_000) }),
    () =>
      viewsOfItem({
        type: 'command_execution',
        command: `/bin/bash -lc ${`"'"'"'`.repeat(200_000)}`,
        aggregated_output: '\n... 1 bytes'.repeat(100_000),
      }),
    () =>
      viewsOfToolResult(
        { name: 'Read', parameters: {} },
        { native: { type: 'image', file: { base64: `${'A'.repeat(5_000_000)}=!`, type: 'image/png' } } },
      ),
    () =>
      viewsOfItem({
        type: 'file_change',
        changes: [
          {
            path: 'a',
            kind: { type: 'update' },
            diff: lines(100_000, (line) => `@@ -${line + 1} +${line + 1} @@\n-a\n+b`),
          },
        ],
      }),
    () =>
      viewsOfToolResult(
        { name: 'google_web_search', parameters: {} },
        { text: `Sources:\n${lines(100_000, () => `[1] ${' ('.repeat(9)}`)}` },
      ),
  ];
  // No clock: anything worse than linear would take hours here, which could not be overlooked.
  for (const view of long) for (const block of view()) assert.ok(toolBlock.safeParse(block).success);
});

function assertValid(blocks: unknown): void {
  assert.ok(isList(blocks));
  for (const value of blocks) {
    const block = toolBlock.parse(value);
    assert.deepEqual(block, value);
    if (block.type !== 'file-change') continue;
    for (const { diff } of block.changes) {
      if (diff === undefined) continue;
      const files = parsePatch(diff);
      assert.equal(files.length, 1);
      assert.ok(files[0] !== undefined && files[0].hunks.length > 0);
    }
  }
}

/** Calls the view functions with values that their types forbid, as callers that are not type-checked may. */
function viewsOfAnything(call: unknown, result: unknown): unknown {
  return Reflect.apply(allViews, undefined, [call, result]);
}

function allViews(call: ToolCall, result: ToolResult): ToolBlock[] {
  return [...viewsOfToolCall(call), ...viewsOfToolResult(call, result)];
}

function countParts(value: unknown): number {
  const children = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return children.reduce((sum: number, child: unknown) => sum + countParts(child), 1);
}

function replaceNth(value: unknown, place: number, replacement: unknown): unknown {
  if (place === 0) return replacement;
  let rest = place - 1;
  const replaceIn = (child: unknown): unknown => {
    const size = countParts(child);
    const mine = rest >= 0 && rest < size;
    const replaced = mine ? replaceNth(child, rest, replacement) : child;
    rest -= size;
    return replaced;
  };
  if (Array.isArray(value)) return value.map(replaceIn);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replaceIn(child)]));
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freezeDeeply);
}

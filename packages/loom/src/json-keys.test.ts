import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { ForestFolder, jsonLines } from './testing/forest-folder.ts';

/** The fields whose keys are names that people, tools or models have chosen, or that stand in the data as they are. */
const chosen = new Set(['config', 'parameters', 'arguments', 'provider', 'settings', 'value', 'blocks']);

/** The keys of a document, at any depth, that are not in snake_case. */
function oddKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(oddKeys);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(key) ? [] : [key]),
    ...(chosen.has(key) && !Array.isArray(inner) ? [] : oddKeys(inner)),
  ]);
}

test('[LM20] the keys of all JSON that commands print are in snake_case', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('call todo {"todos":[]}', '-m', 'demo:thinking', '--system', 'Be brief.');
  const patch = `${folder.dataDir}.diff`;
  writeFileSync(patch, '--- a\n+++ b\n@@ -1 +1 @@\n-echo one\n+echo two\n');
  const backup = `${folder.dataDir}.jsonl`;
  const lines = [
    ['chat', '-p', 'echo one', '--node', root],
    ['chat', '-p', 'show me an error, please'],
    ['ls'],
    ['tree'],
    ['show', root],
    ['bookmark', 'add', `${root}/node-1`, 'first'],
    ['bookmark'],
    ['bookmark', 'remove', `${root}/node-1`],
    ['search', 'one'],
    ['read', `${root}/node-1`],
    ['edit-lines', `${root}/node-1`, '--replace', '0', '--with', 'echo one'],
    ['edit-lines', `${root}/node-1`, '--replace', '99', '--with', 'x'],
    ['patch', `${root}/node-1`, patch],
    ['patch', `${root}/node-1`, patch],
    ['patch', `${root}/node-1`, patch, '--dry-run'],
    ['undo', `${root}/node-1`],
    ['redo', `${root}/node-1`],
    ['undo'],
    ['history', `${root}/node-1`],
    ['history', `${root}/node-1`, '--diff', '1'],
    ['diff', `${root}/node-1`, `${root}/node-2`],
    ['edit', `${root}/node-1`, 'other'],
    ['rm', `${root}/node-1`],
    ['rm', `${root}/node-1`],
    ['restore', `${root}/node-1`],
    ['rm', 'node-1'],
    ['purge', `${root}/node-1`],
    ['purge', `${root}/node-1`, '--yes'],
    ['backup', backup],
    ['export-store', `${backup}.2`],
    ['import-store', backup],
    ['restore-backup', backup],
    ['restore-backup', backup, '--replace'],
    ['migrate', '--dry-run'],
    ['migrate'],
    ['doctor'],
    ['du'],
    ['config', 'set', 'defaults.maxTokens', '5'],
    ['config', 'set', 'defaults.maxTokens', 'x'],
    ['config'],
    ['config', 'get', 'defaults'],
    ['config', 'get', 'defaults.maxTokens'],
    ['config', 'get', 'defaults.model'],
    ['config', 'path'],
    ['config', 'unset', 'defaults.maxTokens'],
    ['config', 'unset', 'nonsense'],
    ['help', 'config'],
    ['version'],
    ['nonsense'],
  ];
  for (const args of lines) {
    const { out, note } = await folder.run([...args, '--json']);
    assert.equal(note, '', args.join(' '));
    assert.notEqual(out, '', args.join(' '));
    assert.deepEqual([...new Set(jsonLines(out).flatMap(oddKeys))], [], `${args.join(' ')}: ${out}`);
  }
});

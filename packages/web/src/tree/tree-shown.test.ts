import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWanted, treeShownNames } from './tree-shown.ts';

test('[WB45] messages are chosen by who wrote them, and by what was written on them', () => {
  const wanted = (node: Parameters<typeof isWanted>[1], bookmark?: string): string[] =>
    treeShownNames.flatMap(({ value }) => (isWanted(value, node, bookmark) ? [value] : []));
  assert.deepEqual(wanted({ role: 'user' }), ['everything', 'without-tools', 'people']);
  assert.deepEqual(wanted({ role: 'assistant', title: '' }), ['everything', 'without-tools']);
  assert.deepEqual(wanted({ role: 'tool' }, ''), ['everything', 'labelled']);
  assert.deepEqual(wanted({ role: 'tool', tags: ['kept'] }), ['everything', 'labelled']);
  assert.deepEqual(wanted({ role: 'tool', title: 'Plan' }), ['everything', 'labelled']);
});

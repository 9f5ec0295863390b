import test from 'node:test';
import assert from 'node:assert/strict';
import { bookmarkGroups } from './bookmark-groups.ts';

test('[WB113] bookmarks stand under their conversations, in the order of the list', () => {
  const mark = (root: string, node: string) => ({ root, opening: `about ${root}`, node, title: '' });
  const groups = bookmarkGroups([mark('a', 'a/1'), mark('b', 'b/1'), mark('z', 'z/1'), mark('a', 'a/2')], ['b', 'a']);
  assert.deepEqual(
    groups.map(({ name, marks }) => [name, marks.map(({ node }) => node)]),
    [
      ['about b', ['b/1']],
      ['about a', ['a/1', 'a/2']],
      ['about z', ['z/1']],
    ],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfPerson, markOf, nameOf } from './who.ts';

test('[IM44] a notice of a program is not shown as what a person said, and the same words typed in Loom are', () => {
  const said = {
    role: 'user' as const,
    source: { type: 'user' as const },
    blocks: [{ type: 'text' as const, text: '<task-notification>\n<summary>Done</summary>' }],
  };
  const brought = { ...said, origin: { source: 'claude-code', id: 'u1' } };
  assert.deepEqual([nameOf(brought), markOf(brought), isOfPerson(brought)], ['Claude Code', 'mark-file', false]);
  assert.deepEqual([nameOf(said), markOf(said), isOfPerson(said)], ['You', 'mark-person', true]);
});

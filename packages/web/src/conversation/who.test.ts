import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfPerson, markOf, nameOf, noticeWords } from './who.ts';

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

test("[IM44] a message that is marked as a notice is a program's, whatever it says", () => {
  const blocks = [{ type: 'text' as const, text: 'The build has ended.' }];
  const marked = { role: 'user' as const, source: { type: 'user' as const }, blocks, notice: { kind: 'task' } };
  assert.deepEqual(
    [nameOf(marked), isOfPerson(marked), noticeWords(marked)],
    ['Program', false, 'The build has ended.'],
  );
});

test("[IM44] words of a person beside a notice stay a person's", () => {
  const notice = { type: 'text' as const, text: '[Request interrupted by user]' };
  const message = { role: 'user' as const, origin: { source: 'claude-code', id: 'u1' } };
  assert.equal(isOfPerson({ ...message, blocks: [notice, notice] }), false);
  assert.equal(isOfPerson({ ...message, blocks: [notice, { type: 'text', text: 'use tabs' }] }), true);
  const picture = { type: 'image' as const, data: '', media_type: 'image/png' };
  assert.equal(isOfPerson({ ...message, blocks: [notice, picture] }), true);
});

test('[IM44] one line says what a program told the model', () => {
  const message = { role: 'user' as const, custom_data: { synthetic: true } };
  const lineOf = (text: string) => noticeWords({ ...message, blocks: [{ type: 'text', text }] });
  assert.equal(lineOf('<environment_context>\n\n  <cwd>/home/u</cwd>\n'), '/home/u');
  assert.equal(lineOf('# AGENTS.md instructions\nUse tabs.'), '# AGENTS.md instructions');
  assert.equal(lineOf('<a></a>'), 'Context for the model');
});

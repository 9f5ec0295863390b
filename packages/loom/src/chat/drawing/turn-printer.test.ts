import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { styleFor } from '../../terminal/style.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { CallBook } from '../call-book.ts';
import { Column } from './column.ts';
import { TurnPrinter } from './turn-printer.ts';

test('[CH1] what a provider sends that Loom does not know is told beside the answer, not in it', () => {
  const { terminal } = fakeTerminal({ isScreen: false });
  const written = { answer: '', aside: '' };
  const column = (name: 'answer' | 'aside'): Column =>
    new Column((text) => void (written[name] += text), styleFor(terminal, 'out'), false);
  const printer = new TurnPrinter({ answer: column('answer'), aside: column('aside'), calls: new CallBook() });
  const blocks: MessageBlock[] = [
    { type: 'text', text: 'Hello', block_id: 'b1' },
    { type: 'raw', source: 'anthropic', value: { type: 'weather_report' }, block_id: 'b2' },
  ];
  for (const [index, block] of blocks.entries()) printer.hear({ type: 'block-added', node: 'n', index, block });
  printer.hear({ type: 'turn-ended', turn: 't', reason: 'done' });
  assert.equal(written.answer, 'Hello\n');
  assert.match(written.aside, /anthropic also sent something that Loom does not know/u);
});

test('[CH95] an agent that is given the branch says how, once, before its words', () => {
  const { terminal } = fakeTerminal({ isScreen: false });
  let written = '';
  const column = (): Column => new Column((text) => void (written += text), styleFor(terminal, 'out'), false);
  const tell = (continued: PlainObject): string => {
    written = '';
    const printer = new TurnPrinter({ answer: column(), aside: column(), calls: new CallBook() });
    const source = { type: 'model' as const, provider: 'codex', model_name: 'm', parameters: {} };
    const shared = { parent: 'r', time: 0, touched: 0, agent: 'a', source, deleted: false };
    const blocks: MessageBlock[] = [{ type: 'text', text: 'Hello', block_id: 'b1' }];
    const node: NodeState = { ...shared, id: 'n', role: 'assistant', blocks, note: { continued } };
    printer.hear({ type: 'node-added', node });
    printer.hear({ type: 'node-changed', node, changes: { set: {} } });
    printer.hear({ type: 'turn-ended', turn: 't', reason: 'done' });
    return written;
  };
  assert.equal(
    tell({ how: 'text', loses: ['pictures'] }).match(
      /\(codex was given the branch as text, without pictures\.\)\s+Hello/gu,
    )?.length,
    1,
  );
  assert.equal(tell({ how: 'own-session' }).trim(), 'Hello');
});

test('[CH1] a call is shown once: its result repeats neither the command nor the change that a person was shown', () => {
  const { terminal } = fakeTerminal({ isScreen: false });
  let aside = '';
  const column = (write: (text: string) => void): Column => new Column(write, styleFor(terminal, 'out'), false);
  const calls = new CallBook();
  const printer = new TurnPrinter({ answer: column(() => {}), aside: column((text) => void (aside += text)), calls });
  const hear = (node: NodeState): void => {
    calls.note(node);
    printer.hear({ type: 'node-changed', node, changes: { set: {} } });
  };
  const shared = { parent: 'r', time: 0, touched: 0, agent: 'a', source: { type: 'user' as const }, deleted: false };
  const use = (id: string, name: string, parameters: PlainObject): MessageBlock => ({
    type: 'tool-use',
    id,
    name,
    parameters,
  });
  const blocks = [use('1', 'edit', { path: 'a' }), use('2', 'shell', { command: 'ls' })];
  hear({ ...shared, id: 'n0', role: 'assistant', blocks });
  const changes = [{ path: 'a', kind: 'modify' as const, diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-b\n+c\n' }];
  const edit = { ...shared, id: 'n1', role: 'tool' as const, tool_call_id: '1' };
  hear({ ...edit, tool: 'waiting', blocks: [], ask: { kind: 'ask', preview: [{ type: 'file-change', changes }] } });
  const edited: NodeState = { ...edit, tool: 'result', blocks: [{ type: 'file-change', changes }] };
  hear(edited);
  hear(edited);
  const shell = { ...shared, id: 'n2', role: 'tool' as const, tool_call_id: '2' };
  hear({ ...shell, tool: 'result', blocks: [{ type: 'command', command: 'ls', stdout: 'a\n' }] });
  const card = ['● edit', '  modify a', '  @@ -1,1 +1,1 @@', '  -b', '  +c', '  ✔ edit'];
  assert.deepEqual(aside.trimEnd().split('\n'), [...card, '● shell', '  $ ls', '  ✔ shell', '    a']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
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

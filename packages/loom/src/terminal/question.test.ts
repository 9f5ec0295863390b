import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { InterruptedError } from '../command-line/failure.ts';
import { askLine } from './question.ts';

function press(keys: string): Promise<string> {
  const keyboard = new PassThrough();
  const answer = askLine('Sure? ', keyboard, new PassThrough());
  keyboard.write(keys);
  return answer;
}

test('[LM18] a question is answered by a line; Ctrl-C and Ctrl-D are no answer and no defect', async () => {
  assert.equal(await press('yes\r'), 'yes');
  await assert.rejects(press('ye\u0003'), InterruptedError);
  await assert.rejects(press('\u0004'), InterruptedError);
});

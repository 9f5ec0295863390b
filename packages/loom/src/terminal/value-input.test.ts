import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InterruptedError } from '../command-line/failure.ts';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { readValue } from './value-input.ts';

test('[CF43] piped input is the value, without its last line break; a secret also without blanks around it', async () => {
  const read = (input: string, isHidden: boolean): Promise<string> =>
    readValue(fakeTerminal({ input }).terminal, 'k', isHidden);
  assert.equal(await read(' two\nlines \n\n', false), ' two\nlines \n');
  assert.equal(await read('windows\r\n', false), 'windows');
  assert.equal(await read('no break, é 💡', false), 'no break, é 💡');
  assert.equal(await read('', false), '');
  assert.equal(await read('  sk-1 \n\n', true), 'sk-1');
  await assert.rejects(read('x'.repeat(1024 * 1024 + 1), false), { code: 'too-large' });
});

test('[CF43] a secret typed at the keyboard is not shown, and the terminal is left as it was', async () => {
  const modes: boolean[] = [];
  const type = async (keyboard: string): Promise<{ value: unknown; note: string }> => {
    const { terminal, written } = fakeTerminal({ keyboard });
    terminal.input.setRawMode = (isRaw) => modes.push(isRaw);
    const value: unknown = await readValue(terminal, 'providers.openai.apiKey', true).catch((error: unknown) => error);
    return { value, note: written.note };
  };
  const typed = await type('wrong\u0015sk-12\u007F3é\u007F\rnot read');
  assert.equal(typed.value, 'sk-13');
  assert.equal(typed.note, 'providers.openai.apiKey (what you type is not shown): \n');
  assert.equal((await type('sk-1\u0004')).value, 'sk-1');
  assert.ok((await type('sk-1\u0003')).value instanceof InterruptedError);
  assert.deepEqual(modes, [true, false, true, false, true, false]);
});

test('[CF43] a value that is not a secret is asked for openly', async () => {
  const { terminal, written } = fakeTerminal({ keyboard: 'openai/gpt-4o\n' });
  assert.equal(await readValue(terminal, 'defaults.model', false), 'openai/gpt-4o');
  assert.match(written.note, /^defaults\.model: .*Ctrl-D/);
});

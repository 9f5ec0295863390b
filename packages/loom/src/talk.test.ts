import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openTalk } from './talk.ts';

/** A keyboard and a screen, as streams. */
function open(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const talk = openTalk(input, output);
  let kept = '';
  output.setEncoding('utf8').on('data', (text: string) => (kept += text));
  const shown = async (): Promise<string> => {
    await new Promise(setImmediate);
    const text = kept;
    kept = '';
    return text;
  };
  const press = async (keys: string): Promise<void> => {
    input.write(keys);
    // Readline hears of it in one round of the loop and reacts in the next.
    for (let round = 0; round < 4; round += 1) await new Promise(setImmediate);
  };
  return { talk, input, shown, press };
}

test('[CH22] what is shown while a person types waits until the line is entered', async () => {
  const { talk, shown, press } = open(true);
  talk.write('an answer that');
  assert.equal(await shown(), 'an answer that');
  await press('he');
  assert.match(await shown(), /^\n/, 'typing begins on a line of its own');
  talk.write(' goes on');
  assert.equal(await shown(), '');
  const line = talk.next();
  await press('y\r');
  assert.equal(await line, 'hey');
  assert.match(await shown(), / goes on$/);
  talk.close();
});

test('[CH22] what waits is shown when the line is emptied, and before a question that it is about', async () => {
  const { talk, shown, press } = open(true);
  await press('x');
  talk.write('held');
  assert.doesNotMatch(await shown(), /held/);
  await press('\u007F');
  assert.match(await shown(), /held/);
  await press('y');
  talk.write('a card\n');
  talk.prompt('Run it? ');
  assert.match(await shown(), /a card\n[^]*Run it\? y/);
  talk.close();
});

test('[CH10] lines of a pipe are kept until they are asked for, and no prompt is shown', async () => {
  const { talk, input, shown, press } = open(false);
  await press('one\ntwo\nthree');
  talk.prompt('> ');
  assert.equal(await talk.next(), 'one');
  assert.equal(await talk.next(), 'two');
  const last = talk.next();
  input.end();
  assert.equal(await last, 'three');
  assert.equal(await talk.next(), undefined);
  talk.write('said');
  assert.equal(await shown(), 'said');
  talk.close();
});

test('[LM19] [CH10] a pipe that stops being UTF-8 fails after the lines before it', async () => {
  const { talk, input, press } = open(false);
  await press('one\r\ntwo\n');
  input.write(Buffer.from([0xff, 0x0a]));
  assert.equal(await talk.next(), 'one');
  assert.equal(await talk.next(), 'two');
  await assert.rejects(talk.next(), { code: 'not-utf8' });
  talk.close();
});

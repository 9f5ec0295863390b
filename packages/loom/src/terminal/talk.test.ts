import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openTalk } from './talk.ts';

/** A keyboard and a screen, as streams. */
function open(isTTY: boolean, options: Parameters<typeof openTalk>[2] = {}) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const talk = openTalk(input, output, options);
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
  await shown();
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

const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`;

test('[CH29] a pasted text is one message that waits for Enter, and can be edited before', async () => {
  const { talk, press, shown } = open(true);
  await press(`see: ${paste('one\r\n\ttwo\u001B[2J\n')}!`);
  assert.ok(!(await shown()).includes('\u001B[2J'));
  await press('\r');
  assert.equal(await talk.next(), 'see: one\n\ttwo␛[2J!');
  await press('one\u001B\rtwo\r');
  assert.equal(await talk.next(), 'one\ntwo', 'Alt-Enter');
  talk.close();
});

test('[CH35] the terminal marks pastes until the talk is closed; a dumb one is not asked', async () => {
  const screen = open(true);
  assert.ok((await screen.shown()).includes('\u001B[?2004h'));
  screen.talk.close();
  screen.talk.close();
  assert.equal((await screen.shown()).split('\u001B[?2004l').length, 2);
  const dumb = open(true, { isPlain: true });
  dumb.talk.close();
  assert.doesNotMatch(await dumb.shown(), /2004/);
});

test('[CH26] a message that comes back is in the line, unless something is typed there', async () => {
  const { talk, press, shown } = open(true);
  assert.equal(talk.refill('one\ntwo'), true);
  talk.prompt('> ');
  assert.match(await shown(), /> one␤two/);
  assert.equal(talk.refill('three'), false);
  await press('!\r');
  assert.equal(await talk.next(), 'one\ntwo!');
  talk.close();
  assert.equal(open(false).talk.refill('x'), false);
});

test('[CH32] what was typed is found again with Up; answers to questions are not remembered', async () => {
  const kept: (readonly string[])[] = [];
  const history = { size: 10, lines: ['before'], keep: (lines: readonly string[]) => void kept.push([...lines]) };
  const { talk, press } = open(true, { history });
  talk.prompt('> ');
  await press('hello\r');
  talk.prompt('Run it? ', { isQuestion: true });
  await press('my password\r');
  await press('\u001B[A\u001B[A\r');
  for (const line of ['hello', 'my password', 'before']) assert.equal(await talk.next(), line);
  assert.deepEqual(kept, [
    ['hello', 'before'],
    ['before', 'hello'],
  ]);
  talk.close();
});

test('[CH33] Tab completes what is typed', async () => {
  const { talk, press } = open(true, { complete: (word) => ({ word, candidates: word === '/he' ? ['/help '] : [] }) });
  for (const keys of ['/he', '\t', '\r', 'hel', '\t', 'lo\r']) await press(keys);
  assert.equal(await talk.next(), '/help ');
  assert.equal(await talk.next(), 'hello');
  talk.close();
});

test('[CH12] what is shown after Ctrl-D stands on a line of its own', async () => {
  for (const isPlain of [true, false]) {
    const { talk, press, shown } = open(true, { isPlain });
    talk.prompt('> ');
    await press('\u0004');
    assert.equal(await talk.next(), undefined);
    talk.prompt('> ');
    talk.write('bye\n');
    assert.match(await shown(), /> [^\n]*\nbye\n$/);
    talk.close();
  }
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

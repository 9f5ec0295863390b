import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Keyboard } from './keyboard.ts';

/** Plays pieces on a keyboard; returns the events in order: keys as they are, pastes in brackets. */
async function play(pieces: readonly string[]): Promise<string> {
  const source = new PassThrough();
  let heard = '';
  // The rest of a mark is not late, however slow the machine is.
  const keyboard = new Keyboard(source, (text) => (heard += `[${text}]`), 2 ** 31 - 1);
  keyboard.on('data', (text: string) => (heard += text));
  for (const piece of pieces) {
    source.write(piece);
    await new Promise(setImmediate);
  }
  keyboard.release();
  return heard;
}

const pasted = (text: string): string => `\u001B[200~${text}\u001B[201~`;

test('[CH29] a pasted text is told apart from the keys around it, in order', async () => {
  assert.equal(await play([`ab${pasted('one\rtwo\n')}c\r`]), 'ab[one\rtwo\n]c\r');
  assert.equal(await play([`${pasted('one')}${pasted('two')}`]), '[one][two]');
  assert.equal(await play(['a', '\u001B[A', 'b']), 'a\u001B[Ab', 'other sequences are keys');
});

test('[CH29] wherever the terminal cuts it into pieces, a paste stays whole', async () => {
  const text = `k${pasted('Ä\n🧵 end')}\r`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 4 }), async (cuts) => {
      const places = [0, ...cuts, text.length].sort((one, other) => one - other);
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      fc.pre(pieces.every((piece) => piece.isWellFormed()));
      assert.equal(await play(pieces.filter((piece) => piece !== '')), 'k[Ä\n🧵 end]\r');
    }),
    { numRuns: 60 },
  );
});

test('[CH47] a terminal that is closed, and fails from then on, is the end of what is typed', async () => {
  const source = new PassThrough();
  const keyboard = new Keyboard(source, () => {});
  const ended = once(keyboard.resume(), 'end');
  source.emit('error', new Error('setRawMode EIO'));
  await ended;
  keyboard.release();
  source.emit('error', new Error('setRawMode EIO'));
});

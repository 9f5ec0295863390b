import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacters } from '@loom/blocks/testing';
import * as fc from 'fast-check';
import { styleFor } from '../../terminal/style.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { Column, showControls } from './column.ts';

function column(isScreen: boolean) {
  const { terminal } = fakeTerminal({ isScreen });
  const written = { text: '' };
  const write = (text: string): void => {
    written.text += text;
  };
  return { written, column: new Column(write, styleFor(terminal, 'out'), isScreen) };
}

test('[CH20] no control character but line breaks and tabs reaches a screen, whatever was written', () => {
  fc.assert(
    fc.property(anyCharacters, (text) => {
      const shown = showControls(text);
      assert.doesNotMatch(shown, /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u);
      assert.equal(showControls(shown), shown);
    }),
  );
  assert.equal(showControls('a\u001B[2Jb\r\nc\td\u0007'), 'a␛[2Jb\nc\td␇');
});

test('[CH20] a pipe gets what was written, a screen gets pictures', () => {
  const [pipe, screen] = [column(false), column(true)];
  for (const one of [pipe, screen]) one.column.add('\u001B]0;title\u0007');
  assert.equal(pipe.written.text, '\u001B]0;title\u0007');
  assert.equal(screen.written.text, '␛]0;title␇');
});

test('[CH19] paragraphs are set apart by one blank line, and the first one has none above it', () => {
  const { written, column: page } = column(false);
  page.startParagraph();
  page.add('one');
  page.startParagraph();
  page.add('two\n');
  page.startParagraph();
  page.addLines([{ text: 'three', tone: 'faint' }]);
  page.startLine();
  assert.equal(written.text, 'one\n\ntwo\n\nthree\n');
});

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ScreenModel } from '../testing/screen-model.ts';
import { openTalk } from './talk.ts';
import type { Talk } from './terminal.ts';

/** A talk at a keyboard, and the screen of a terminal of that size. */
class Desk {
  readonly screen: ScreenModel;
  readonly talk: Talk;
  readonly #input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  readonly #output: PassThrough & { isTTY: boolean; columns: number; rows: number };

  constructor(columns: number, rows = 24) {
    this.screen = new ScreenModel(columns, rows);
    this.#output = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
    this.#output.setEncoding('utf8').on('data', (text: string) => this.screen.write(text));
    this.talk = openTalk(this.#input, this.#output, { complete: (word) => ({ word, candidates: ['/fork', '/find'] }) });
  }

  async press(keys: string): Promise<void> {
    this.#input.write(keys);
    await this.settled();
  }

  async resize(columns: number): Promise<void> {
    await this.settled();
    this.screen.resize(columns);
    this.#output.columns = columns;
    this.#output.emit('resize');
    await this.settled();
  }

  /** Resolves once the streams have passed on everything written. */
  async settled(): Promise<void> {
    for (let round = 0; round < 4; round += 1) await new Promise(setImmediate);
  }
}

const question = 'Run write_file? [y]es, [n]o, [a]lways in this chat, or say why not: ';
const card = ['● write_file', '  file_path: greeting.md', '  content: Hello, world.'];
const keys = { left: '\u001B[D', right: '\u001B[C', home: '\u0001', end: '\u0005', back: '\u007F', enter: '\r' };

for (const columns of [20, 40, 60, 69, 70, 71]) {
  test(`[CH50] at ${columns} columns a question that wraps is drawn once, below what it is about`, async () => {
    const desk = new Desk(columns);
    desk.talk.write(`${card.join('\n')}\n`);
    desk.talk.prompt(question, { isQuestion: true });
    const reason = 'no, because that file is not for you to write, and so I would rather not have it written';
    await desk.press(reason);
    await desk.press(`${keys.home}x${keys.back}${keys.left.repeat(3)}${keys.end}`);
    assertShown(desk, card, question + reason);
    for (let key = 0; key < reason.length; key += 1) await desk.press(keys.back);
    assertShown(desk, card, question);
    // Text shown above a question while no one types pushes nothing off the screen.
    for (let line = 0; line < 5; line += 1) desk.talk.write(`line ${line}\n`);
    await desk.settled();
    assertShown(desk, [...card, ...[0, 1, 2, 3, 4].map((line) => `line ${line}`)], question);
    desk.talk.close();
  });
}

test('[CH50] a window that is resized shows the question once, at every width', async () => {
  const desk = new Desk(80);
  desk.talk.write(`${card.join('\n')}\n`);
  desk.talk.prompt(question, { isQuestion: true });
  await desk.press('no, 日本語で書いてください, and then é once more');
  for (const columns of [60, 41, 30, 100, 33, 70]) {
    await desk.resize(columns);
    assertShown(desk, card, `${question}no, 日本語で書いてください, and then é once more`);
  }
  desk.talk.close();
});

test('[CH50] a line that is longer than the screen shows its end, and all of it once it is entered', async () => {
  const desk = new Desk(21, 4);
  desk.talk.write('above\n');
  desk.talk.prompt('> ');
  const line = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ');
  await desk.press(line);
  assert.equal(desk.screen.text.length, 5, 'no row is drawn twice');
  await desk.press(keys.enter);
  assert.ok(squeeze(desk.screen.text).endsWith(squeeze([`> ${line}`])));
  desk.talk.close();
});

test('[CH50] a question that needs no answer any more is taken back; what was typed stays', async () => {
  const desk = new Desk(40);
  desk.talk.prompt(question, { isQuestion: true });
  await desk.press('wait');
  desk.talk.withdraw();
  await desk.settled();
  assertShown(desk, [], `${question}wait`);
  desk.talk.withdraw({ isQuestion: true });
  await desk.settled();
  assertShown(desk, [], 'wait');
  desk.talk.close();
});

test('[CH33] [CH50] pressing Tab again lists what the word may become, above the line', async () => {
  const desk = new Desk(40);
  desk.talk.prompt('> ');
  for (const key of ['/', 'f', '\t', '\t']) await desk.press(key);
  assertShown(desk, ['/fork  /find'], '> /f');
  desk.talk.close();
});

/** Characters of every width: plain, wide, with a mark, and a word that fills a row. */
const typed = fc.constantFrom('a', 'word ', '漢字', 'e\u0301', '🧵', 'x'.repeat(30));
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ press: typed }) },
  {
    weight: 4,
    arbitrary: fc.record({ press: fc.constantFrom(keys.left, keys.right, keys.home, keys.end, keys.back) }),
  },
  { weight: 2, arbitrary: fc.record({ say: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ press: fc.constant(keys.enter) }) },
  { weight: 1, arbitrary: fc.record({ width: fc.integer({ min: 16, max: 80 }) }) },
);

test('[CH50] whatever is typed, shown and resized: each line is on the screen once, in order, and the cursor where one types', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 16, max: 80 }), fc.array(act, { maxLength: 30 }), async (columns, acts) => {
      const desk = new Desk(columns, 200);
      let [said, line, cursor, above, waiting] = [0, '', 0, '', ''];
      desk.talk.prompt(question);
      for (const what of acts) {
        if ('width' in what) await desk.resize(what.width);
        else if ('say' in what) {
          said += 1;
          desk.talk.write(`<${said}>\n`);
          if (line === '') above += `<${said}>`;
          else waiting += `<${said}>`;
        } else {
          await desk.press(what.press);
          if (what.press === keys.enter) {
            [above, line, cursor, waiting] = [above + question + line + waiting, '', 0, ''];
            desk.talk.prompt(question);
          } else [line, cursor] = edited(line, cursor, what.press);
          if (line === '') [above, waiting] = [above + waiting, ''];
        }
        await desk.settled();
        assert.equal(squeeze(desk.screen.text), squeeze([above + question + line]));
        // Readline stops between a letter and its combining mark, where there is no cell.
        if (/^\p{Mn}/u.test(line.slice(cursor))) continue;
        const { row, column } = desk.screen.cursor;
        const before = squeeze([...desk.screen.text.slice(0, row), cellsBefore(desk.screen.text[row] ?? '', column)]);
        assert.equal(before, squeeze([above + question + line.slice(0, cursor)]));
      }
      desk.talk.close();
    }),
    { numRuns: 50 },
  );
});

/** A line and its cursor after a key, as readline moves it: by code points. */
function edited(line: string, cursor: number, key: string): [string, number] {
  const before = Array.from(line.slice(0, cursor));
  const after = line.slice(cursor);
  switch (key) {
    case keys.home:
      return [line, 0];
    case keys.end:
      return [line, line.length];
    case keys.left:
      return [line, before.slice(0, -1).join('').length];
    case keys.right:
      return [line, cursor + (Array.from(after)[0] ?? '').length];
    case keys.back:
      return [before.slice(0, -1).join('') + after, before.slice(0, -1).join('').length];
    default:
      return [line.slice(0, cursor) + key + after, cursor + key.length];
  }
}

function cellsBefore(row: string, column: number): string {
  let [width, text] = [0, ''];
  for (const { segment } of new Intl.Segmenter().segment(row)) {
    if (width >= column) return text;
    text += segment;
    width += /[\u3000-\u9FFF\u{1F300}-\u{1FAFF}]/u.test(segment) ? 2 : 1;
  }
  return text;
}

/** Rows without blanks: where a row is broken between words, the blank there is not drawn. */
function squeeze(rows: readonly string[]): string {
  return rows.join('').replaceAll(/\s/g, '');
}

function assertShown({ screen }: Desk, above: readonly string[], line: string): void {
  assert.equal(squeeze(screen.text), squeeze([...above, line]));
}

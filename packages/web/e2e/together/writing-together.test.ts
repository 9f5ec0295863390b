import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { openSecondPerson } from '../testing/second-person.ts';
import { answered, shownText, textOf, write } from '../testing/written-texts.ts';

test('[WB510] keys typed into an open text are in the store', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t);
  const { page } = opened;
  const { root, block } = await answered(opened, 'Tides 0.10');
  await write(page, root);
  await page.keyboard.type(' opens in 0.4 s');
  await eventually(
    () => textOf(opened, block),
    (text) => text === 'Tides 0.10 opens in 0.4 s',
  );
  assert.equal(await page.locator('.cm-content').innerText(), 'Tides 0.10 opens in 0.4 s');
});

test(
  '[WB626] [WB627] others are seen where they are, by name and color, unless the reader wants quiet',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const { root, block } = await answered(opened, 'one two three');
    const { page: jo, client } = await openSecondPerson(opened, 'jo');
    await write(page, root);
    await page.getByRole('button', { name: 'Here now: You' }).waitFor({ state: 'detached' });
    await write(jo, root);
    await page.getByRole('button', { name: 'Here now: You, jo' }).waitFor();
    await jo.keyboard.press('Home');
    await jo.keyboard.press('Control+Shift+ArrowRight');
    await page.locator('.cm-selected-2').getByText('one').waitFor();
    assert.equal(await page.locator('.cm-caret-of-other.cm-who-2 .cm-name-of-other').textContent(), 'jo');
    await jo.keyboard.press('Home');
    await jo.keyboard.type('zero ');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'zero one two three',
    );
    // The caret of jo moved with the words, and so did that of the reader, which jo sees at the end.
    const before = (who: typeof page): Promise<string | undefined> =>
      who.evaluate(() => {
        const root = document.querySelector('[data-editor]')?.shadowRoot;
        const [content, caret] = [root?.querySelector('.cm-content'), root?.querySelector('.cm-caret-of-other')];
        if (!content || !caret) return undefined;
        const range = document.createRange();
        range.setStart(content, 0);
        range.setEndBefore(caret);
        return range.toString();
      });
    await eventually(
      () => before(page),
      (text) => text === 'zero ',
    );
    await eventually(
      () => before(jo),
      (text) => text === 'zero one two three',
    );
    // A program without a cursor is seen where it writes.
    const outcome = await client.call('block.edit', {
      block_id: block,
      operations: [{ op: 'insert', line: 1, content: 'four' }],
    });
    assert.ok(outcome.ok);
    await eventually(
      () => shownText(page),
      (text) => text === 'zero one two three\nfour',
    );
    await page.getByRole('button', { name: /^Here now/u }).click();
    await page.getByRole('switch', { name: 'Show carets of others in texts' }).click();
    await page.locator('.cm-caret-of-other').waitFor({ state: 'detached' });
    await page.reload();
    await write(page, root);
    await jo.keyboard.type('!');
    await eventually(
      () => shownText(page),
      (text) => text.includes('!'),
    );
    assert.equal(await page.locator('.cm-caret-of-other').count(), 0);
  },
);

test(
  '[WB511] an input method composes while others write; their words come when it has ended',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, block } = await answered(opened, 'first\nlast ');
    await write(page, root);
    const devtools = await page.context().newCDPSession(page);
    const compose = (text: string): Promise<unknown> =>
      devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await compose('n');
    await compose('ni');
    await ask('block.edit', { block_id: block, operations: [{ op: 'insert', line: 0, content: 'new' }] });
    // The composed letters are in the store beside the edit, which the editor does not show yet.
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'new\nfirst\nlast ni',
    );
    assert.equal(await shownText(page), 'first\nlast ni');
    await compose('niha');
    assert.equal(await shownText(page), 'first\nlast niha');
    await devtools.send('Input.insertText', { text: '你好' });
    await eventually(
      () => shownText(page),
      (text) => text === 'new\nfirst\nlast 你好',
    );
    await page.keyboard.type('!');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'new\nfirst\nlast 你好!',
    );
  },
);

test(
  '[WB511] lines run in the direction of their words, and keys go where the eye expects',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const { root, block } = await answered(opened, 'left to right');
    await write(page, root);
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('مرحبا');
    const lines = page.locator('.cm-line');
    assert.deepEqual(await lines.evaluateAll((all) => all.map((line) => getComputedStyle(line).direction)), [
      'ltr',
      'rtl',
    ]);
    // Behind the last letter of the word is its left side.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.insertText('X');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'left to right\nمرحبXا',
    );
  },
);

test(
  '[WB628] each takes back their own edits, in turns, and a paste at once; a burst of typing comes back whole',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const { root, block } = await answered(opened, 'start');
    const { page: jo } = await openSecondPerson(opened, 'ann');
    await write(page, root);
    await write(jo, root);
    const becomes = async (wanted: string): Promise<void> => {
      await eventually(
        () => textOf(opened, block),
        (text) => text === wanted,
      );
      for (const who of [page, jo])
        await eventually(
          () => shownText(who),
          (text) => text === wanted,
        );
    };
    await page.keyboard.type(' mine');
    await becomes('start mine');
    await jo.keyboard.press('Home');
    await jo.keyboard.type('hers ');
    await becomes('hers start mine');
    await page.evaluate(() => {
      const editor = document.querySelector('[data-editor]')?.shadowRoot?.querySelector('.cm-content');
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ' pasted');
      editor?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await becomes('hers start mine pasted');
    await page.keyboard.type(' more');
    await becomes('hers start mine pasted more');
    await jo.keyboard.press('Control+z');
    await becomes('start mine pasted more');
    await page.keyboard.press('Control+z');
    await becomes('start mine pasted');
    await page.keyboard.press('Control+z');
    await becomes('start mine');
    await jo.keyboard.press('Control+Shift+Z');
    await becomes('hers start mine');
    await page.keyboard.press('Control+z');
    await becomes('hers start');
    for (const text of ['hers start mine', 'hers start mine pasted', 'hers start mine pasted more']) {
      await page.keyboard.press('Control+Shift+Z');
      await becomes(text);
    }
  },
);

test(
  '[WB510] [WB743] E opens thinking and code by keys alone, and a message that is written anew is written on together',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root } = await ask('root.create', {});
    const { nodes } = await ask('node.append', {
      parent: root,
      messages: [
        { role: 'user', content: 'Say it' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Let me think' },
            { type: 'code', content: 'let a = 1;', language: 'js' },
          ],
        },
      ],
    });
    const blocksOf = async (node: string | undefined): Promise<string[]> =>
      (await ask('node.get', { node: node ?? '' })).message.content.map(({ block_id: id }) => id ?? '');
    const [thinking = '', code = ''] = await blocksOf(nodes[1]);
    const [said = ''] = await blocksOf(nodes[0]);
    const choose = async (block: string): Promise<void> => {
      await page.keyboard.press('Escape');
      await page.getByRole('feed').focus();
      for (let step = 0; step < 8; step += 1) {
        await page.keyboard.press('k');
        if ((await page.locator('[aria-current=true]').getAttribute('data-block')) === block) return;
      }
      assert.fail(`no key leads to ${block}`);
    };
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('feed').getByText('Say it').waitFor();
    for (const [block, before] of [
      [code, 'let a = 1;'],
      [thinking, 'Let me think'],
    ] as const) {
      await choose(block);
      await page.keyboard.press('e');
      await page.getByText(/^Saved/u).waitFor();
      await page.keyboard.type('!');
      await eventually(
        () => textOf(opened, block),
        (text) => text === `${before}!`,
      );
      await page.keyboard.press('Escape');
      await page.locator('.cm-content').waitFor({ state: 'detached' });
    }
    await choose(said);
    await page.keyboard.press('e');
    await page.getByRole('group', { name: 'Edit the message' }).getByRole('textbox').waitFor();
    await page.keyboard.type(' again');
    await page.keyboard.press('Control+Shift+E');
    await page.getByText(/^Saved/u).waitFor();
    await page.keyboard.type(', please');
    await eventually(
      () => textOf(opened, said),
      (text) => text === 'Say it again, please',
    );
  },
);

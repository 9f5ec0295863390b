import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';
import { begin } from './testing/begin.ts';

/** A sentence each of whose letters is a shortcut somewhere. */
const sentence = 'now explain it, for the sake of my cat. ok?';

/** Types without looking where the focus is, and returns the text that has arrived in the message field. */
async function typeBlindly({ page }: Pick<OpenedPage, 'page'>, text = sentence): Promise<string> {
  await page.keyboard.type(text);
  return page.getByRole('textbox', { name: 'Message' }).inputValue();
}

async function clear({ page }: Pick<OpenedPage, 'page'>): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('');
}

/** Returns the conversation on display. */
function rootIn(page: Page): string {
  return decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
}

/** Returns a short name of the focused element. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute('data-block') ?? element?.id ?? '';
  });
}

test('[WB170] what is typed before the field is drawn is in it', { skip: noBrowser }, async (t) => {
  const { page } = await openPage(t);
  // The page asks for its tickets before anything is drawn.
  await page.addInitScript(`{
    const ask = window.fetch;
    window.fetch = (...request) => {
      window.fetch = ask;
      for (const key of ['n', 'o', 'x', 'Backspace', 'w', ' ', 'e'])
        document.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
      return ask(...request);
    };
  }`);
  await page.goto('/');
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.waitFor();
  assert.equal(await field.inputValue(), 'now e');
  await page.keyboard.type('xplain it');
  assert.equal(await field.inputValue(), 'now explain it');
});

test(
  '[WB170] a message that is sent before its conversation has come waits in the field for its end, and what is typed behind it stays',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, nodes } = await begin(ask, 'echo one', 'One.');
    const come = Promise.withResolvers<void>();
    await page.routeWebSocket(/./u, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => void come.promise.then(() => socket.send(message)));
    });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    await page.keyboard.type('echo two');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' and more');
    assert.equal(await field.inputValue(), 'echo two and more');
    come.resolve();
    await eventually(
      () => field.inputValue(),
      (text) => text === ' and more',
    );
    const said = await eventually(
      async () => (await ask('tree.subtree', { top: root })).items.find((one) => /echo two/u.test(JSON.stringify(one))),
      (node) => node !== undefined,
    );
    assert.equal(said?.parent_id, nodes.at(-1));
    assert.doesNotMatch(JSON.stringify(said), /and more/u);
  },
);

test('[WB170] a selection made before the field is drawn again stays', { skip: noBrowser }, async (t) => {
  const { page } = await openPage(t);
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('all of this');
  const selected = await field.evaluate(async (element: HTMLTextAreaElement) => {
    const drawn = new Promise((resolve) => void requestAnimationFrame(resolve));
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    element.select();
    await drawn;
    await new Promise((resolve) => void requestAnimationFrame(resolve));
    return element.value.slice(element.selectionStart, element.selectionEnd);
  });
  assert.equal(selected, 'all of this');
});

test(
  '[WB170] what is typed right after loading, sending and stopping is in the field',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask } = opened;
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    assert.equal(await typeBlindly(opened), sentence, 'after the first load');
    await clear(opened);
    await page.keyboard.type('wait 60 seconds');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/r\//u);
    assert.equal(await typeBlindly(opened), sentence, 'after the first message');
    await clear(opened);
    const running = (): Promise<number> =>
      ask('turn.list', { root: rootIn(page), live: true }).then(({ items: turns }) => turns.length);
    await eventually(running, (count) => count === 1);
    await page.getByPlaceholder('Steer the model while it works').waitFor();
    for (const name of [/^Who answers/u, /^Mode/u, /^Tools/u]) {
      await page.getByRole('button', { name }).click();
      await page.locator('[popover]:popover-open :focus').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('[popover]').waitFor({ state: 'detached' });
      assert.equal(await typeBlindly(opened), sentence, `after Esc has closed ${String(name)}`);
      await clear(opened);
    }
    const { items } = await ask('turn.list', { root: rootIn(page) });
    assert.notEqual(items[0]?.ended, 'aborted', 'Esc closed boxes and stopped nothing');
    await page.keyboard.press('Escape');
    assert.equal(await typeBlindly(opened), sentence, 'after Esc has stopped it');
    await eventually(running, (count) => count === 0);
    await page.getByPlaceholder('Write a message').waitFor();
    await clear(opened);
    await page.keyboard.press('Escape');
    assert.equal(await typeBlindly(opened), sentence, 'after Esc with nothing to stop');
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.keyboard.type('and more');
    await eventually(
      () => page.getByRole('textbox', { name: 'Message' }).inputValue(),
      (text) => text.startsWith(sentence) && text.slice(sentence.length).trim() === 'and more',
    );
    await clear(opened);
    await page.keyboard.type('wait 30 seconds');
    await page.getByRole('button', { name: 'Send (Enter)' }).click();
    assert.equal(await typeBlindly(opened), sentence, 'after the button');
    await clear(opened);
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    assert.equal(await typeBlindly(opened), sentence, 'after the button that stops');
  },
);

test(
  '[WB170] with the focus on nothing or on a button, letters, what an input method composes and what is pasted go to the field',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask, context } = opened;
    const { root } = await begin(ask, 'Hello');
    await page.goto(`/r/${root}`);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    const leaveField = (): Promise<void> => field.evaluate((element) => element.blur());
    await leaveField();
    assert.equal(await typeBlindly(opened), sentence);
    await clear(opened);
    await page.getByRole('button', { name: 'Inspector' }).focus();
    assert.equal(await typeBlindly(opened), sentence, 'from a button');
    await clear(opened);
    await leaveField();
    const session = await context.newCDPSession(page);
    const process = { key: 'Process', windowsVirtualKeyCode: 229 };
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...process });
    await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await session.send('Input.insertText', { text: '日本' });
    assert.equal(await field.inputValue(), '日本');
    await clear(opened);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((text) => navigator.clipboard.writeText(text), sentence);
    await leaveField();
    await page.keyboard.press('Control+v');
    await eventually(
      () => field.inputValue(),
      (text) => text === sentence,
    );
    assert.equal(new URL(page.url()).pathname, `/r/${root}`, 'nothing else happened');
  },
);

test('[WB171] what is typed after a dialog is closed goes on where it was opened', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t);
  const { page, ask } = opened;
  const { root } = await begin(ask, 'Hello');
  await page.goto(`/r/${root}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const dialogs: [name: string, open: () => Promise<void>, field: string][] = [
    ['the palette', () => page.keyboard.press('Control+k'), 'Search everything'],
    ['models', () => page.getByRole('button', { name: /^Who answers/u }).click(), 'Find a model'],
    ['tools', () => page.getByRole('button', { name: /^Tools/u }).click(), ''],
    ['the title', () => page.getByTitle('Title and tags of the conversation').click(), 'Title'],
    ['kinds', () => page.getByRole('button', { name: 'Kinds shown' }).click(), ''],
    ['shortcuts', () => choose(page, '> show shortcuts'), ''],
    ['exports', () => choose(page, '> export'), ''],
    ['deleted conversations', () => choose(page, '> restore deleted'), ''],
  ];
  for (const [name, open, label] of dialogs) {
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await open();
    const box = page.locator('dialog[open], [popover]:popover-open').first();
    await box.waitFor();
    if (label !== '') {
      await page.keyboard.type('none');
      await eventually(
        async () => ({ [name]: await box.getByLabel(label, { exact: true }).inputValue() }),
        ({ [name]: typed }) => typed === 'none',
      );
    }
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    assert.equal(await typeBlindly(opened), sentence, `after closing ${name}`);
    await clear(opened);
  }
});

async function choose(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).pressSequentially(text);
  await page.keyboard.press('Enter');
}

test(
  '[WB172] after choosing in the palette or the tree keys act on the row that was chosen',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, nodes } = await begin(ask, 'The first tide', 'The second tide', 'The third tide');
    const {
      nodes: [answer = ''],
    } = await ask('node.append', {
      parent: nodes[2] ?? '',
      messages: [{ role: 'assistant', content: 'At noon the water is high' }],
    });
    await ask('node.append', { parent: answer, messages: [{ role: 'user', content: 'And at night?' }] });
    const blockOf = async (node: string): Promise<string> =>
      (await ask('node.get', { node })).message.content[0]?.block_id ?? '';
    await page.goto(`/r/${root}`);
    await page.getByRole('feed').getByText('And at night?').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('in:this second tide');
    await page.getByRole('option', { name: /second tide/u }).waitFor();
    await page.keyboard.press('Enter');
    const second = await blockOf(nodes[1] ?? '');
    await eventually(
      () => focused(page),
      (block) => block === second,
    );
    await page.keyboard.type('jj');
    const third = await blockOf(answer);
    await eventually(
      () => focused(page),
      (block) => block === third,
    );
    await page.keyboard.press('Escape');
    assert.equal(await typeBlindly(opened), sentence, 'Esc goes back to the field');
    await clear(opened);
    // In the tree: an answer takes the keys, a message of a person comes into the field.
    await page.getByRole('treeitem', { name: /At noon/u }).click();
    await eventually(
      () => focused(page),
      (block) => block === third,
    );
    await page.getByRole('treeitem', { name: /second tide/u }).click();
    await eventually(
      () => page.getByRole('textbox', { name: 'Message' }).inputValue(),
      (text) => text === 'The second tide',
    );
    assert.equal(await typeBlindly(opened, ' again'), 'The second tide again');
  },
);

test(
  '[WB173] what looks like a key is asked about before it is sent, and Add key takes what is typed',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask } = opened;
    const field = page.getByRole('textbox', { name: 'Message' });
    const key = `sk-ant-${'n0w1'.repeat(6)}`;
    await field.waitFor();
    await page.keyboard.type(`my key is ${key}`);
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Send what looks like a key?' });
    await question.waitFor();
    assert.equal((await question.innerText()).includes(key), false, 'it is not shown');
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), `my key is ${key}`, 'the safe choice came first, and nothing is lost');
    assert.equal((await ask('root.list', {})).items.length, 0);
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Send anyway' }).click();
    await page.waitForURL(/\/r\//u);
    await page.goto('/settings/models');
    await page.getByRole('region', { name: 'Anthropic' }).getByRole('button', { name: 'Add key' }).click();
    await page.keyboard.type(key);
    await eventually(
      () => page.getByLabel('Key of Anthropic').inputValue(),
      (typed) => typed === key,
    );
    assert.equal(new URL(page.url()).pathname, '/settings/models');
  },
);

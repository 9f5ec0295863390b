import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { begin } from './testing/begin.ts';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

type Ask = OpenedPage['ask'];

/** Question, answer and a second question, with an answer to it on each of two branches. */
async function makeConversation(ask: Ask) {
  const { root } = await ask('root.create', {});
  const say = async (parent: string, role: 'user' | 'assistant', text: string): Promise<string> => {
    const { nodes } = await ask('node.append', { parent, messages: [{ role, content: text }] });
    return nodes[0] ?? '';
  };
  const question = await say(root, 'user', 'Why do the tests fail?');
  const answer = await say(question, 'assistant', 'The clocks have changed.');
  const wish = await say(answer, 'user', 'Fix it properly.');
  const left = await say(wish, 'assistant', 'Store every instant in UTC.');
  const right = await say(wish, 'assistant', 'Compute the day in the own zone.');
  return { root, question, answer, wish, left, right };
}

async function show(page: Page, root: string): Promise<void> {
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('feed').getByText('Fix it properly').first().waitFor();
}

async function childrenOf(ask: Ask, node: string): Promise<string[]> {
  const { nodes } = await ask('node.children', { node });
  return nodes.map(({ message }) => message.content.map((block) => ('text' in block ? block.text : '')).join(''));
}

/** Makes the block with a text current, by the keys. */
async function choose(page: Page, text: string): Promise<void> {
  const feed = page.getByRole('feed');
  await feed.focus();
  /** The block that is current, and the key that leads to the one with the text; none if that is it. */
  const look = (): Promise<{ current: string | null; key?: string }> =>
    feed.evaluate((element, wanted) => {
      const rows = [...element.querySelectorAll<HTMLElement>('[data-block]')];
      const row = element.querySelector<HTMLElement>('[data-block][aria-current="true"]');
      const current = row?.getAttribute('data-block') ?? null;
      if (row?.innerText.includes(wanted) === true) return { current };
      const target = rows.findIndex(({ innerText }) => innerText.includes(wanted));
      return { current, key: row === null || target > rows.indexOf(row) ? 'j' : 'k' };
    }, text);
  for (;;) {
    const { current, key } = await look();
    if (key === undefined) return;
    await page.keyboard.press(key);
    await eventually(look, (now) => now.current !== current);
  }
}

test('[WB56] a message is edited in place, on a new branch, and on one that is run', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t);
  const { root, answer, wish } = await makeConversation(ask);
  await show(page, root);
  const edit = async (choice: string, text: string, save: string): Promise<void> => {
    await choose(page, 'Fix it properly');
    await page.keyboard.press('e');
    await page.getByRole('radio', { name: choice, exact: true }).check();
    await page.getByRole('textbox', { name: 'Text of the message' }).fill(text);
    await page.getByRole('button', { name: save, exact: true }).click();
    await page.getByRole('textbox', { name: 'Text of the message' }).waitFor({ state: 'detached' });
  };
  await edit('Save in place', 'Fix it properly, now.', 'Save in place');
  assert.deepEqual(await childrenOf(ask, answer), ['Fix it properly, now.']);
  assert.equal((await childrenOf(ask, wish)).length, 2, 'what was below stays below');
  await edit('New branch', 'Fix it properly, later.', 'Make branch');
  assert.deepEqual(await childrenOf(ask, answer), ['Fix it properly, now.', 'Fix it properly, later.']);
  await show(page, root);
  await page.getByRole('button', { name: 'Previous version of this message' }).first().click();
  await edit('New branch and run', 'echo: Fix it properly', 'Make branch and run');
  const { nodes } = await ask('node.children', { node: answer });
  const run = nodes.at(-1)?.id ?? '';
  await eventually(
    () => childrenOf(ask, run),
    (texts) => texts.some((text) => text.includes('Fix it properly')),
  );
  await choose(page, 'The clocks have changed');
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Text of the message' }).fill('a draft');
  await page.keyboard.press('Escape');
  await page.reload();
  await choose(page, 'The clocks have changed');
  await page.keyboard.press('e');
  assert.equal(await page.getByRole('textbox', { name: 'Text of the message' }).inputValue(), 'a draft');
});

test(
  '[WB56] an edit that is run is one step: leaving before the server has answered loses neither',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, answer } = await makeConversation(ask);
    await show(page, root);
    await choose(page, 'Fix it properly');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Text of the message' }).fill('echo: Fix it and go');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/node.edit', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Make branch and run', exact: true }).click();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await page.waitForURL((url) => url.pathname === '/');
    release();
    const edited = await eventually(
      async () => (await ask('node.children', { node: answer })).nodes[1]?.id ?? '',
      (id) => id !== '',
    );
    await eventually(
      () => childrenOf(ask, edited),
      (texts) => texts.some((text) => text.includes('Fix it and go')),
    );
  },
);

test('[WB57] a branch begins after a block, and what is written next stands on it', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t);
  const { root, answer } = await makeConversation(ask);
  await show(page, root);
  await choose(page, 'The clocks have changed');
  await page.keyboard.press('f');
  await page.getByText('New branch. What you write next stands here').waitFor();
  await page.reload();
  await page.getByText('New branch. What you write next stands here').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('Leave it as it is.');
  await page.keyboard.press('Enter');
  await eventually(
    () => childrenOf(ask, answer),
    (texts) => texts.includes('Leave it as it is.') && texts.includes('Fix it properly.'),
  );
  await page.getByText('1 other branch').waitFor();
  await page.waitForURL((url) => !url.pathname.endsWith('/new'));
  await page.reload();
  await page.getByRole('feed').getByText('Leave it as it is.', { exact: true }).waitFor();
});

test(
  '[WB62] [WB65] a reload, and going back, show what was in sight, at the same height',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root } = await ask('root.create', {});
    const messages = Array.from({ length: 120 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Message ${index}. ${'It goes on for a while. '.repeat(index % 7)}`,
    }));
    const { nodes } = await ask('node.append', { parent: root, messages });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const feed = page.getByRole('feed');
    await feed.getByText('Message 119.').waitFor();
    await feed.hover();
    await page.mouse.wheel(0, -2500);
    /** The first text in sight, and how high it stands. */
    const inSight = (): Promise<{ text: string; at: number }> =>
      feed.evaluate((element) => {
        const { top } = element.getBoundingClientRect();
        const texts = [...element.querySelectorAll('p')].map(
          (text) => [text, text.getBoundingClientRect().top] as const,
        );
        const [first, at] = texts.find(([, height]) => height >= top) ?? [undefined, 0];
        return { text: first?.textContent ?? '', at };
      });
    const kept = (): Promise<string | null> => page.evaluate(() => sessionStorage.getItem('loom-positions'));
    await eventually(kept, (text) => text?.includes('node') === true);
    let before = await inSight();
    const isAsBefore = ({ text, at }: typeof before): boolean => text === before.text && Math.abs(at - before.at) < 4;
    await eventually(
      async () => [before, await inSight()] as const,
      ([, now]) => {
        const isAtRest = isAsBefore(now);
        before = now;
        return isAtRest;
      },
    );
    await page.reload();
    await feed.getByText('Message').first().waitFor();
    await eventually(inSight, isAsBefore);
    await ask('node.append', { parent: nodes.at(-1) ?? '', messages: [{ role: 'assistant', content: 'One more.' }] });
    await page.getByRole('button', { name: '1 new block ↓' }).waitFor();
    assert.ok(isAsBefore(await inSight()), 'nothing moves while the reader is above');
    await page.goto(`/r/${encodeURIComponent(root)}/${encodeURIComponent((nodes[3] ?? '').slice(root.length + 1))}`);
    await feed.getByText('Message 3.').waitFor();
    await page.goBack();
    await eventually(inSight, isAsBefore);
  },
);

test('[WB58] by keys alone: leave out, start, bookmark, delete, undo, regenerate', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t);
  const { root, answer, wish, right } = await makeConversation(ask);
  await show(page, root);
  const metadata = async (node: string) => (await ask('node.get', { node })).metadata;
  await choose(page, 'The clocks have changed');
  await page.keyboard.press('x');
  const { exclude = [] } = await eventually(
    () => metadata(right),
    (found) => found.exclude !== undefined,
  );
  assert.equal(exclude.length, 1);
  await page.getByRole('feed').getByText('left out').waitFor();
  await page.keyboard.press('x');
  await eventually(
    () => metadata(right),
    (found) => found.exclude === undefined,
  );
  await page.keyboard.press('s');
  await eventually(
    () => metadata(answer),
    (found) => found.context_start === true,
  );
  await page.keyboard.press('b');
  await page.getByRole('dialog').getByRole('textbox').first().and(page.locator(':focus')).waitFor();
  await page.keyboard.type('works');
  await page.keyboard.press('Enter');
  await eventually(
    () => ask('node.get', { node: answer }),
    ({ bookmark }) => bookmark === 'works',
  );
  await page.getByRole('feed').focus();
  await choose(page, 'Compute the day');
  await page.keyboard.press('Delete');
  await eventually(
    () => childrenOf(ask, wish),
    (texts) => texts.length === 1,
  );
  await page.getByRole('feed').focus();
  await page.keyboard.press('Control+z');
  await eventually(
    () => childrenOf(ask, wish),
    (texts) => texts.length === 2,
  );
  await page.keyboard.press('r');
  await eventually(
    () => childrenOf(ask, wish),
    (texts) => texts.length === 3,
  );
  await page.getByText('3/3').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
});

test(
  '[WB58] keys act on what is shown, not on a message that was left behind on another branch',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, wish } = await makeConversation(ask);
    await show(page, root);
    await choose(page, 'Compute the day');
    await page.keyboard.press('r');
    await page.getByText('3/3').waitFor();
    await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.every(({ ended }) => ended !== undefined),
    );
    await page.getByRole('feed').focus();
    await page.keyboard.press('Delete');
    const left = await eventually(
      () => childrenOf(ask, wish),
      (texts) => texts.length === 2,
    );
    assert.ok(
      left.some((text) => text.includes('Compute the day')),
      'the answer that is shown was deleted, not the one beside it',
    );
  },
);

test(
  '[WB69] a reader whom the browser has brought up, as by finding a word, stays there',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, nodes } = await begin(ask, ...Array.from({ length: 40 }, (_, index) => `Message ${index}.`));
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const feed = page.getByRole('feed');
    await feed.getByText('Message 39.').waitFor();
    await feed.evaluate((element) => {
      element.scrollTop = 0;
    });
    await page.getByRole('button', { name: /^Latest/u }).waitFor();
    await feed.getByText('Message 1.', { exact: true }).waitFor();
    await ask('node.append', { parent: nodes.at(-1) ?? root, messages: [{ role: 'user', content: 'One more.' }] });
    await page.getByRole('button', { name: /^1 new block/u }).waitFor();
    assert.equal(await feed.evaluate(({ scrollTop }) => scrollTop), 0);
  },
);

test(
  '[WB59] two branches are compared at an address of their own, and one is gone on with',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, left } = await makeConversation(ask);
    await show(page, root);
    await page.getByRole('button', { name: 'Compare branches' }).click();
    await page.waitForURL(/\/compare\//u);
    await page.reload();
    await page.getByText('3 messages in common').waitFor();
    assert.ok((await page.locator('.compare mark').count()) >= 2, 'differing words are marked on both sides');
    await page.getByRole('button', { name: 'Continue here' }).first().click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Go on.');
    await page.keyboard.press('Enter');
    await eventually(
      () => childrenOf(ask, left),
      (texts) => texts.includes('Go on.'),
    );
  },
);

test('[WB60] [WB64] the tree is walked, filtered and named by keys', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t);
  const { root, left } = await makeConversation(ask);
  await show(page, root);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('tree').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('UTC');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => decodeURIComponent(url.pathname).endsWith(left));
  await page.getByRole('feed').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.waitForURL(/\/tree\//u);
  await page.reload();
  await page.getByRole('treeitem', { name: /UTC/u }).click();
  await page.goBack();
  await page.getByRole('tree').focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('l');
  await page.getByRole('dialog').getByRole('textbox').first().and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Store in UTC');
  await page.keyboard.press('Enter');
  await eventually(
    () => ask('node.get', { node: left }),
    ({ metadata }) => metadata.title === 'Store in UTC',
  );
});

test(
  '[WB143] a message of a person that is chosen in the tree comes into the field, and what is sent stands beside it; any other is gone on from',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, question, answer, wish, right } = await makeConversation(ask);
    await show(page, root);
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    const line = (words: RegExp) => page.getByRole('treeitem', { name: words });
    const holds = (text: string): Promise<unknown> =>
      eventually(
        () => field.inputValue(),
        (value) => value === text,
      );
    await field.fill('an own draft');
    await line(/Fix it properly/u).click();
    await holds('Fix it properly.');
    assert.equal(
      await page.getByRole('feed').getByText('Fix it properly').count(),
      0,
      'the message before it is the end',
    );
    await page.reload();
    await holds('Fix it properly.');
    await field.fill('Fix it quickly.');
    // The drafts of both places are there again.
    await line(/own zone/u).click();
    await holds('an own draft');
    await line(/Fix it properly/u).click();
    await holds('Fix it quickly.');
    await page.getByRole('button', { name: 'Use the message instead' }).click();
    await holds('Fix it properly.');
    await field.fill('Fix it quickly.');
    await page.keyboard.press('Control+Enter');
    await eventually(
      () => childrenOf(ask, answer),
      (texts) => texts.join() === 'Fix it properly.,Fix it quickly.',
    );
    await holds('');
    // The first message of all.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('tree').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await holds('Why do the tests fail?');
    await page.getByText('6 messages below stay as they are').waitFor();
    await page.reload();
    await holds('Why do the tests fail?');
    await field.fill('Why do the tests pass?');
    await page.keyboard.press('Control+Enter');
    await eventually(
      () => childrenOf(ask, root),
      (texts) => texts.length === 2,
    );
    // An answer with messages below it: the next message follows it, too.
    await line(/clocks have changed/u).click();
    await page.getByText('New branch. What you write next stands here').waitFor();
    await field.fill('Leave it.');
    await page.keyboard.press('Control+Enter');
    await eventually(
      () => childrenOf(ask, answer),
      (texts) => texts.includes('Leave it.'),
    );
    assert.deepEqual(await childrenOf(ask, question), ['The clocks have changed.']);
    assert.equal((await childrenOf(ask, wish)).length, 2);
    await line(/own zone/u).click();
    await holds('an own draft');
    await field.press('Control+Enter');
    await eventually(
      () => childrenOf(ask, right),
      (texts) => texts.includes('an own draft'),
    );
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

const model = { provider: 'demo', model: 'demo' };

/** Says something to the demo model, which may use tools, and shows the conversation. */
async function talk({ page, ask }: OpenedPage, content: string, tools: string[]): Promise<string> {
  const { root } = await ask('root.create', {});
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await ask('turn.start', { node: nodes.at(-1) ?? root, ...model, tools });
  return root;
}

/** The results of tools in a conversation, once its turn is over. */
async function results({ ask }: OpenedPage, root: string): Promise<{ text: string; isError: boolean }[]> {
  await eventually(
    () => ask('turn.list', { root }),
    ({ items }) => items.length > 0 && items.every(({ ended }) => ended !== undefined),
  );
  const { items } = await ask('tree.subtree', { top: root });
  return items.flatMap(({ message }) => {
    if (message.role !== 'tool') return [];
    const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return [{ text, isError: message.is_error === true }];
  });
}

test(
  '[WB33] [WB37] a person allows, denies with a reason and answers beside the call; the model goes on with what was said',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    // Pressed as soon as it is there it does nothing: typing that goes on cannot allow anything.
    await page.addInitScript(() => {
      new MutationObserver(() => {
        const buttons = [...document.querySelectorAll('button')];
        const allowing = buttons.find(({ textContent }) => textContent === 'Allow once');
        if (allowing === undefined || document.documentElement.dataset['pressed'] !== undefined) return;
        document.documentElement.dataset['pressed'] = 'yes';
        allowing.click();
      }).observe(document, { childList: true, subtree: true });
    });
    const run = await talk(opened, 'run `git status`', ['run_command']);
    const card = page.getByRole('group', { name: 'Run this command?' });
    await card.getByText('git status').waitFor();
    assert.notEqual(await page.evaluate(() => document.activeElement?.textContent), 'Allow once', 'it takes no focus');
    const allow = card.getByRole('button', { name: 'Allow once' });
    await page.locator('[aria-disabled=false]', { hasText: 'Allow once' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dataset['pressed']), 'yes');
    assert.equal(await card.count(), 1, 'it still waits');
    await allow.focus();
    await page.keyboard.press('Enter');
    assert.match((await results(opened, run))[0]?.text ?? '', /working tree clean/u);
    await page.getByRole('feed').and(page.locator(':focus')).waitFor();
    const { items } = await opened.ask('tree.subtree', { top: run });
    const decided = items.find(({ message }) => message.role === 'tool')?.decided;
    assert.deepEqual([decided?.decision, decided?.by], ['approved', 'person']);
    await page.reload();
    const ran = page.getByRole('feed').getByRole('group', { name: 'Run git status' });
    await ran.getByRole('button', { name: /^Run/u }).first().click();
    await ran.getByText(/^Allowed by you at \d+:\d\d [AP]M$/u).waitFor();

    const write = await talk(opened, 'write a file', ['write_file', 'edit_file']);
    const change = page.getByRole('group', { name: 'Change this file?' });
    await change.getByText('Hello, world.').waitFor();
    await change.locator('[aria-disabled=false]', { hasText: 'Deny…' }).click();
    await change.getByRole('textbox').fill('not in this folder');
    await change.getByRole('button', { name: 'Deny', exact: true }).click();
    await change.locator('[aria-disabled=false]', { hasText: 'Allow once' }).click();
    const [denied, allowed] = await results(opened, write);
    assert.deepEqual([denied, allowed?.isError], [{ text: 'not in this folder', isError: true }, false]);

    const question = await talk(opened, 'ask me something', ['ask_person']);
    const asked = page.getByRole('group', { name: 'Which colour should the first thread have?' });
    await asked.getByRole('textbox').fill('a light green');
    await asked.locator('[type=submit][aria-disabled=false]').click();
    assert.deepEqual(await results(opened, question), [{ text: 'a light green', isError: false }]);
  },
);

test(
  '[WB34] a command is run again only after the reader has agreed; its result is added to the branch',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const root = await talk(opened, 'run `ls`', ['run_command']);
    await page.locator('[aria-disabled=false]', { hasText: 'Allow once' }).click();
    await results(opened, root);
    const card = page.getByRole('feed').getByRole('group', { name: 'Run ls' });
    await card.getByRole('button', { name: /^Run/u }).first().click();
    await card.getByText('greeting.md').waitFor();
    await card.getByRole('button', { name: 'Run again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this command again?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await ask('turn.list', { root })).items.length, 1);
    await card.getByRole('button', { name: 'Run again…' }).click();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('[aria-disabled=false]', { hasText: 'Allow once' }).click();
    const texts = (await results(opened, root)).map(({ text }) => text);
    assert.equal(texts.length, 2);
    assert.equal(texts[0], texts[1]);
  },
);

test(
  '[WB25] kinds that are hidden stay hidden after a reload, and what is opened stays open out of sight',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { height: 600 });
    const { page, ask } = opened;
    const { root } = await ask('root.create', {});
    const code = Array.from({ length: 60 }, (_, index) => `paragraph ${index}`).join('\n\n');
    // The last rows stay in the document; the opened block is above them.
    const later = Array.from({ length: 40 }, (_, index) => ({ role: 'user' as const, content: `later ${index}` }));
    await ask('node.append', {
      parent: root,
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'a quiet thought' },
            { type: 'tool-use', id: 'a', name: 'Bash', parameters: { command: 'ls' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'one two' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: code },
            { type: 'text', text: code },
          ],
        },
        ...later,
      ],
    });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const feed = page.getByRole('feed');
    await feed.getByText('later 39').waitFor();
    const scroll = (isEnd: boolean): Promise<void> =>
      feed.evaluate((element, end) => element.scrollTo(0, end ? element.scrollHeight : 0), isEnd);
    await feed.hover();
    await page.mouse.wheel(0, -200);
    await scroll(false);
    await feed.getByRole('button', { name: /^Thought/u }).click();
    await feed.getByText('a quiet thought').waitFor();
    await scroll(true);
    await feed.getByText('a quiet thought').waitFor({ state: 'detached' });
    await page.mouse.wheel(0, -200);
    await scroll(false);
    await feed.getByText('a quiet thought').waitFor();

    await page.getByRole('button', { name: /^Kinds shown/u }).click();
    await page.getByRole('switch', { name: /^Thinking/u }).click();
    await page.getByRole('switch', { name: /^Commands/u }).click();
    await page.keyboard.press('Escape');
    await feed.getByText('2 blocks hidden').waitFor();
    await page.reload();
    await feed.getByText('2 blocks hidden').waitFor();
    assert.equal(await feed.getByRole('group', { name: 'Run ls' }).count(), 0);
    await feed.getByRole('button', { name: 'Show', exact: true }).click();
    await feed.getByRole('group', { name: 'Run ls' }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem('loom-hidden-kinds')), '[]');
  },
);

test(
  '[WB6] each text runs in the direction of its script, and code from left to right',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root } = await ask('root.create', {});
    const content = 'Plain words.\n\nשלום `code` עולם\n\n- פריט ראשון\n- פריט שני\n\n> ציטוט';
    await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const prose = page.locator('.said .prose');
    await prose.getByText('Plain words.').waitFor();
    const directions = ['ul', 'blockquote', 'code'].map((name) =>
      prose.locator(name).evaluate((element) => getComputedStyle(element).direction),
    );
    assert.deepEqual(await Promise.all(directions), ['rtl', 'rtl', 'ltr']);
    // The side on which the words of a paragraph begin: left or right.
    const sides = ['Plain words.', 'עולם'].map((words) =>
      prose.getByText(words).evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const [own, around] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return Math.abs(own.left - around.left) < 1
          ? 'left'
          : Math.abs(own.right - around.right) < 1
            ? 'right'
            : 'neither';
      }),
    );
    assert.deepEqual(await Promise.all(sides), ['left', 'right']);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('שלום');
    assert.equal(await field.evaluate((element) => getComputedStyle(element).direction), 'rtl');
  },
);

test('[WB35] thinking that is no longer sent says so', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t);
  const { page, ask } = opened;
  const root = await talk(opened, 'think about it', []);
  await results(opened, root);
  const thought = page.getByRole('feed').getByRole('button', { name: /^Thought/u });
  await thought.waitFor();
  assert.equal(await thought.getByText('no longer sent').count(), 0);
  const { items } = await ask('tree.subtree', { top: root });
  await ask('node.edit', { node: items[0]?.id ?? '', content: 'think about something else', mode: 'in-place' });
  await page.reload();
  await thought.getByText('no longer sent').waitFor();
});

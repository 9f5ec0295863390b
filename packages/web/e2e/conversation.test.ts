import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';

test('[WB130] what is typed is sent, answered and still there after a reload', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t);
  await page.getByRole('textbox', { name: 'Message' }).fill('echo: a **bold** word');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/r\/root-/u);
  const root = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
  const { items } = await eventually(
    () => ask('tree.subtree', { top: root }),
    ({ items }) =>
      items.some(
        ({ message }) => message.role === 'assistant' && message.content.every(({ status }) => status !== 'running'),
      ),
  );
  assert.deepEqual(
    items.map(({ message }) => message.role),
    ['user', 'assistant'],
  );
  await page.reload();
  const feed = page.getByRole('feed');
  await feed.getByText('word').first().waitFor();
  assert.ok((await feed.locator('strong', { hasText: 'bold' }).count()) > 0, 'Markdown is drawn');
  assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), '');
});

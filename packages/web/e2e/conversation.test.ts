import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin } from './testing/begin.ts';
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

test('[WB137] what cannot be drawn leaves the rest of the page as it is', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t, { allowed: /./u });
  const { root } = await begin(ask, 'echo: still here');
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('tab', { name: 'Context' }).click();
  const facts = page.getByRole('heading', { name: 'What would be sent' });
  await facts.waitFor();
  // Also while it is not known yet which models there are.
  await page.reload();
  await facts.waitFor();
  let isWrong = true;
  await page.route('**/api/v1/block.history', async (route) => {
    if (isWrong) await route.fulfill({ json: { ok: true, value: { no: 'list' } } });
    else await route.continue();
  });
  await page.getByRole('feed').focus();
  await page.keyboard.press('k');
  await page.keyboard.press('h');
  const broken = page.getByRole('alert').filter({ hasText: 'The inspector could not be drawn' });
  await broken.waitFor();
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await eventually(
    () => ask('tree.subtree', { top: root }),
    ({ items }) => items.some(({ message }) => message.role === 'assistant'),
  );
  isWrong = false;
  await broken.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Version 1').waitFor();
});

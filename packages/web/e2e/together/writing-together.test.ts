import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin } from '../testing/begin.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

/** An answer of a model that ends a conversation, and its words. */
async function answered({ ask }: OpenedPage, words: string): Promise<{ root: string; block: string }> {
  const { root, nodes } = await begin(ask, 'Write it down');
  const messages = [{ role: 'assistant' as const, content: words }];
  const { nodes: answers } = await ask('node.append', { parent: nodes.at(-1) ?? root, messages });
  const { message } = await ask('node.get', { node: answers.at(-1) ?? '' });
  return { root, block: message.content.at(-1)?.block_id ?? '' };
}

/** Opens a conversation in the page, and its last text for writing. */
async function write({ page }: OpenedPage, root: string): Promise<void> {
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('feed').waitFor();
  await page.locator('[data-block]').last().click();
  await page.keyboard.press('e');
  await page.getByText(/^Saved/u).waitFor();
}

const textOf = async ({ ask }: OpenedPage, block: string): Promise<string> =>
  (await ask('block.read', { block_id: block, line_numbers: false })).content;

test('[WB510] keys typed into an open text are in the store', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t);
  const { page } = opened;
  const { root, block } = await answered(opened, 'Tides 0.10');
  await write(opened, root);
  await page.keyboard.type(' opens in 0.4 s');
  await eventually(
    () => textOf(opened, block),
    (text) => text === 'Tides 0.10 opens in 0.4 s',
  );
  assert.equal(await page.locator('.cm-content').innerText(), 'Tides 0.10 opens in 0.4 s');
});

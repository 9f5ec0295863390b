import type { Page } from 'playwright-core';
import { begin } from './begin.ts';
import type { OpenedPage } from './open-page.ts';

/** An answer of a model that ends a conversation, and its words. */
export async function answered(
  { ask }: Pick<OpenedPage, 'ask'>,
  words: string,
): Promise<{ root: string; node: string; block: string }> {
  const { root, nodes } = await begin(ask, 'Write it down');
  const messages = [{ role: 'assistant' as const, content: words }];
  const { nodes: answers } = await ask('node.append', { parent: nodes.at(-1) ?? root, messages });
  const node = answers.at(-1) ?? '';
  const { message } = await ask('node.get', { node });
  return { root, node, block: message.content.at(-1)?.block_id ?? '' };
}

/** Opens a conversation in a page, and its last text for writing. */
export async function write(page: Page, root: string): Promise<void> {
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('feed').waitFor();
  await page.locator('[data-block]').last().click();
  await page.keyboard.press('e');
  await page.getByText(/^Saved/u).waitFor();
}

/** The text of a block, as the store has it. */
export async function textOf({ ask }: Pick<OpenedPage, 'ask'>, block: string): Promise<string> {
  return (await ask('block.read', { block_id: block, line_numbers: false })).content;
}

/** The text that an editor of the page shows, without the names of others in it. */
export function shownText(page: Page): Promise<string> {
  return page
    .locator('.cm-content')
    .last()
    .evaluate((content) =>
      [...content.querySelectorAll('.cm-line')]
        .map((line) => {
          const copy = line.cloneNode(true);
          if (copy instanceof Element) for (const caret of copy.querySelectorAll('.cm-caret-of-other')) caret.remove();
          return copy.textContent;
        })
        .join('\n'),
    );
}

/** The whole text of an editor, also what is not drawn, as a reader copies it. */
export async function wholeText(page: Page): Promise<string> {
  await page.locator('.cm-content').last().focus();
  await page.keyboard.press('Control+a');
  return page
    .locator('.cm-content')
    .last()
    .evaluate((content) => {
      const clipboardData = new DataTransfer();
      content.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
      return clipboardData.getData('text/plain');
    });
}

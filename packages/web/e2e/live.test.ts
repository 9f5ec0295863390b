import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';
import { ServedLoom } from './testing/served-loom.ts';

/** A conversation whose answer is being written, for more than ten seconds. */
async function beginStory({ ask }: Pick<OpenedPage, 'ask'>): Promise<{ root: string; turn: string }> {
  const { root } = await ask('root.create', {});
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'Tell it' }] });
  const { turns } = await ask('turn.start', { node: nodes[0] ?? root, provider: 'demo', model: 'slow' });
  return { root, turn: turns[0] ?? '' };
}

/** The words that the model has written so far, as the store has them. */
async function storedStory({ ask }: Pick<OpenedPage, 'ask'>, root: string): Promise<string> {
  const { items } = await ask('tree.subtree', { top: root });
  const texts = items
    .filter(({ message }) => message.role === 'assistant')
    .flatMap(({ message }) => message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
  return words(texts.join('\n\n'));
}

/** The words that the page shows of them. */
async function shownStory(page: Page): Promise<string> {
  const prose = await page.getByRole('feed').locator('.prose').allInnerTexts();
  return words(prose.slice(1).join('\n\n'));
}

/** Drops the marks that only affect the looks. */
function words(text: string): string {
  return text
    .replaceAll(/[*_`#>-]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

test(
  '[WB131] a reload in the middle of an answer goes on with it, and ends with what the store has',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, turn } = await beginStory(opened);
    await page.goto(`/r/${root}`);
    await eventually(
      () => shownStory(page),
      (text) => text.length > 40,
    );
    await page.reload();
    const before = (
      await eventually(
        () => shownStory(page),
        (text) => text.length > 40,
      )
    ).length;
    await eventually(
      () => shownStory(page),
      (text) => text.length > before + 40,
    );
    await ask('turn.abort', { root, turn });
    await eventually(
      async () => [await shownStory(page), await storedStory(opened, root)],
      ([shown, stored]) => shown === stored && shown !== '',
    );
  },
);

test(
  '[WB132] a server that is killed in the middle of an answer and starts again: the page says so, and shows what was kept',
  { skip: noBrowser },
  async (t) => {
    const served = await ServedLoom.start(t);
    const opened = await openPage(t, { served });
    const { page, whileAway } = opened;
    const { root } = await beginStory(opened);
    await page.goto(`/r/${root}`);
    await eventually(
      () => shownStory(page),
      (text) => text.length > 80,
    );
    await whileAway(async () => {
      await served.stop('SIGKILL');
      await page.getByText('Reconnecting. You can keep reading and writing.').waitFor();
      assert.ok((await shownStory(page)).length > 80, 'what was there can be read');
      await served.run();
      await page.getByText('Reconnecting.').waitFor({ state: 'detached' });
    });
    const kept = await storedStory(opened, root);
    assert.ok(kept.length > 80);
    await eventually(
      () => shownStory(page),
      (text) => text === kept,
    );
  },
);

test('[WB133] two tabs agree on what was said in either of them', { skip: noBrowser }, async (t) => {
  const { page, context, ask } = await openPage(t);
  const { root } = await ask('root.create', {});
  await page.goto(`/r/${root}`);
  const other = await context.newPage();
  await other.goto(`/r/${root}`);
  const rounds = [
    [page, 'echo from the first tab', 2],
    [other, 'echo from the second tab', 4],
  ] as const;
  for (const [tab, text, messages] of rounds) {
    await tab.getByRole('textbox', { name: 'Message' }).fill(text);
    await tab.keyboard.press('Enter');
    await eventually(
      async () => await ask('root.get', { root }),
      ({ nodes, running }) => nodes === messages && running.length === 0,
    );
    for (const seen of [page, other]) {
      await seen.getByRole('feed').getByText(text.replace('echo ', '')).first().waitFor();
    }
  }
  const { items } = await ask('tree.subtree', { top: root });
  assert.deepEqual(
    items.map(({ message }) => message.role),
    ['user', 'assistant', 'user', 'assistant'],
    'one branch, though two tabs wrote it',
  );
});

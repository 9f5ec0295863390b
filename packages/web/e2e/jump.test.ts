import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParamsOf } from '@loom/kernel';
import type { Page } from 'playwright-core';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

const calls = 3000;
/** The call whose long output has the word, the one of a group, and the thought. */
const [long, grouped, thought] = [400, 1501, 2200];

type Message = ParamsOf<'node.append'>['messages'][number];
type Said = Extract<Message, { role: 'assistant' }>['content'];

/** A conversation of 6,000 blocks: a call, its result, and so on. */
async function createCalls({ ask }: Pick<OpenedPage, 'ask'>): Promise<string> {
  const { root } = await ask('root.create', {});
  let parent: string = root;
  for (let start = 0; start < calls; start += 250) {
    const messages = Array.from({ length: 250 }, (_, index) => start + index).flatMap((at) => {
      const name = at >= grouped - 2 && at <= grouped + 2 ? 'Read' : at % 2 === 0 ? 'Bash' : 'WebFetch';
      const input =
        name === 'Read' ? { file_path: `/tides/${at}.md` } : { command: `step ${at}`, url: `https://t/${at}` };
      const call = { type: 'tool-use' as const, id: `call-${at}`, name, parameters: input };
      const thinking = { type: 'thinking' as const, text: 'a heron stands still' };
      const said: Said = at === thought ? [thinking, call] : [call];
      return [
        { role: 'assistant' as const, content: said },
        { role: 'tool' as const, tool_call_id: `call-${at}`, content: resultOf(at) },
      ];
    });
    const { nodes } = await ask('node.append', { parent, messages });
    parent = nodes.at(-1) ?? parent;
  }
  return root;
}

function resultOf(at: number): string {
  if (at === grouped) return 'one line with a kingfisher in it';
  if (at !== long) return `result ${at}`;
  return Array.from({ length: 900 }, (_, line) => (line === 700 ? 'here the Cormorant dives' : `line ${line}`)).join(
    '\n',
  );
}

/** Reports if the current row, and the first of the words found, are visible; also inside an output that scrolls separately. */
async function seen(page: Page): Promise<{ row: boolean; words: boolean }> {
  return page.evaluate(() => {
    const feed = document.querySelector('[role="feed"]')?.getBoundingClientRect() ?? new DOMRect();
    const row = document.querySelector('[role="feed"] [aria-current="true"]')?.getBoundingClientRect();
    const [range] = CSS.highlights.get('found') ?? [];
    const words = range instanceof Range ? range.getBoundingClientRect() : undefined;
    const output = range instanceof Range ? range.startContainer.parentElement?.closest('.output') : undefined;
    const around = output?.getBoundingClientRect() ?? feed;
    const isIn = (inner: DOMRect | undefined, outer: DOMRect): boolean =>
      inner !== undefined && inner.bottom > outer.top && inner.top < outer.bottom;
    return { row: isIn(row, feed), words: isIn(words, feed) && isIn(words, around) };
  });
}

async function search(page: Page, query: string, found: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).pressSequentially(query);
  await page.getByRole('option', { name: found }).first().waitFor();
  await page.keyboard.press('Enter');
}

test(
  '[WB174] what is found in a conversation of 6,000 blocks is gone to, opened and marked, also by its address',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, context } = opened;
    const root = await createCalls(opened);
    await page.goto(`/r/${root}`);
    const feed = page.getByRole('feed');
    await feed.getByText(`step ${calls - 2}`).waitFor();
    const isSeen = (on: Page): Promise<unknown> =>
      eventually(
        () => seen(on),
        ({ row, words }) => row && words,
      );
    await search(page, 'in:this kind:tool_result cormorant', /Cormorant dives/u);
    await isSeen(page);
    const far = page.url();
    assert.equal(await feed.getByText('here the Cormorant dives').count(), 1);
    await search(page, 'in:this kingfisher', /kingfisher/u);
    await isSeen(page);
    await feed.getByText('one line with a kingfisher in it').waitFor();
    await feed.locator('.row-found').waitFor();
    await feed.locator('.row-found').waitFor({ state: 'detached' });
    // Its kind is hidden: it is shown, and nothing else of its kind.
    await page.evaluate(() => localStorage.setItem('loom-hidden-kinds', JSON.stringify(['thinking', 'command'])));
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await search(page, 'in:this heron', /heron/u);
    await isSeen(page);
    await feed.getByText('a heron stands still').waitFor();
    const other = await context.newPage();
    await other.goto(far);
    await eventually(
      () => seen(other),
      ({ row }) => row,
    );
    await other
      .getByRole('feed')
      .getByRole('group', { name: `Run step ${long}` })
      .waitFor();
    // Once the rest of the outline has come it is still there.
    await other.getByRole('button', { name: 'Latest' }).waitFor();
    assert.equal((await seen(other)).row, true);
    // The same without its message, which the page looks up.
    await other.goto(far.replace(/\/[^/#]+#/u, '#'));
    await other.waitForURL(far);
    await eventually(
      () => seen(other),
      ({ row }) => row,
    );
  },
);

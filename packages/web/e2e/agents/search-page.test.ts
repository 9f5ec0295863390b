import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';

test(
  '[WB390] [WB391] [WB392] a search has a page: grouped, narrowed by chips, saved, and each result leads to its block',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const begin = async (directory: string, texts: readonly string[]) => {
      const { root } = await ask('root.create', { config: { directory } });
      const messages = texts.map((content, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content,
      }));
      const { nodes } = await ask('node.append', { parent: root, messages });
      return { root, nodes };
    };
    const herons = Array.from({ length: 6 }, (_, index) => `heron ${index + 1}`);
    const tides = await begin('/home/user/tides', ['Birds of the bay', ...herons]);
    await begin('/home/user/loom', ['A heron at the loom']);

    // From the palette to the page; the address has the query.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).pressSequentially('heron');
    await page.getByRole('button', { name: 'Show all on a page' }).click();
    await page.waitForURL('**/search/heron');
    await page.getByText('7 blocks, in 2 conversations').waitFor();
    const group = page.getByRole('region', { name: 'Birds of the bay' });
    assert.equal(await group.getByRole('link', { name: /heron \d/u }).count(), 3);
    await group.getByText(/^tides · /u).waitFor();
    await group.getByRole('button', { name: '3 more in this conversation' }).click();
    await group.getByRole('link', { name: /heron 6/u }).waitFor();

    // Chips narrow it; the address keeps them over a reload.
    await page.getByRole('button', { name: 'Said by models' }).click();
    await page.getByText('3 blocks, in 1 conversation').waitFor();
    await page.getByRole('region', { name: 'Project' }).getByRole('button', { name: /^loom/u }).click();
    await page.getByText('No block has “heron”.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter role:assistant' }).click();
    await page.getByText('1 block, in 1 conversation').waitFor();
    await page.getByRole('button', { name: 'Save this search' }).click();
    await eventually(
      () => ask('home.list', { prefix: 'searches/' }),
      ({ items }) => items.some(({ value }) => value['query'] === 'project:loom heron'),
    );
    await page.reload();
    await page.getByText('1 block, in 1 conversation').waitFor();
    await page.getByRole('button', { name: 'Remove the filter project:loom' }).click();
    await page.getByText('7 blocks, in 2 conversations').waitFor();
    await page.getByRole('link', { name: 'project:loom heron' }).click();
    await page.getByText('1 block, in 1 conversation').waitFor();

    // By keys to a result, and to its block.
    await page.getByRole('button', { name: 'Remove the filter project:loom' }).click();
    const first = group.getByRole('link', { name: /heron \d/u }).first();
    await first.waitFor();
    const block = decodeURIComponent((await first.getAttribute('href')) ?? '').split('#')[1] ?? '';
    await first.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => decodeURIComponent(url.hash) === `#${block}`);
    assert.ok(decodeURIComponent(page.url()).includes(tides.root));
    await page.locator(`[data-block="${tides.root}/${block}"]`).waitFor();
  },
);

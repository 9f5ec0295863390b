import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import { begin } from './testing/begin.ts';

test(
  '[WB103] a conversation is renamed, tagged, deleted and brought back from the navigator, by keyboard and by pointer',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { isAlone: true });
    const { root } = await begin(ask, 'Why are there two tides a day?');
    const listed = async (): Promise<string[]> => (await ask('root.list', {})).items.map(({ id }) => id);
    const openMenu = page.getByRole('button', { name: /^Actions for/u });
    await page.getByRole('link', { name: /two tides/u }).waitFor();

    await openMenu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('textbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Tides');
    await page.keyboard.press('Enter');
    await eventually(
      () => ask('root.get', { root }),
      ({ title }) => title === 'Tides',
    );
    await page.locator(':focus[aria-haspopup=menu]').waitFor();

    await openMenu.click();
    await page.getByRole('menuitem', { name: 'Tags…' }).click();
    await page.getByRole('textbox', { name: 'Tags' }).fill('sea, moon, sea');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(
      () => ask('root.get', { root }),
      ({ tags }) => tags.join() === 'sea,moon',
    );

    await openMenu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await eventually(listed, (ids) => ids.length === 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(listed, (ids) => ids.includes(root));

    await openMenu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await eventually(listed, (ids) => ids.length === 0);
    await page.reload();
    await page.getByRole('button', { name: 'Deleted conversations…' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.waitForURL(new RegExp(`/r/${root}`, 'u'));
    assert.deepEqual(await listed(), [root]);
    await page.reload();
    await page.getByRole('link', { name: /Tides/u }).waitFor();
  },
);

test(
  '[WB116] where there is no room the navigator is a drawer that keeps the focus, closes by Esc and leads to branches',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { width: 360, height: 780 });
    const { root, nodes } = await begin(ask, 'Tides', 'The first way');
    const [top = ''] = nodes;
    await ask('node.append', { parent: top, messages: [{ role: 'user', content: 'The second way' }] });
    await page.goto(`/r/${root}`);
    const button = page.getByRole('button', { name: 'Conversations' });
    await button.click();
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press('Tab');
      const isInside = await page.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
      );
      assert.ok(isInside, 'the focus left the drawer');
    }
    // With the focus on a row, too: there, Esc means the message field if no drawer is open.
    await drawer
      .getByRole('link', { name: /^Tides/u })
      .first()
      .focus();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await page.locator(':focus[aria-label=Conversations]').waitFor({ state: 'attached' });
    await button.click();
    await drawer.getByRole('link', { name: /The first way/u }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('feed').getByText('The first way').waitFor();
    assert.ok(page.url().endsWith(`/${nodes[1]?.split('/')[1]}`));
    assert.equal(await page.getByRole('feed').getByText('The second way').count(), 0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 360, 'nothing is wider than the screen');
  },
);

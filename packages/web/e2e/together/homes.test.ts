import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../testing/chromium.ts';
import { openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';
import { openSecondPerson } from '../testing/second-person.ts';

/** Opens the page of the same person in another browser. */
async function openElsewhere({ context, served, client }: OpenedPage, path: string): Promise<Page> {
  const other = await context.browser()?.newContext({ baseURL: served.url, reducedMotion: 'reduce' });
  assert.ok(other !== undefined);
  served.guests.push(() => other.close());
  const page = await other.newPage();
  await page.goto(`${path}#code=${await client.issueCode()}`);
  await page.getByRole('navigation', { name: 'Conversations' }).waitFor();
  return page;
}

test(
  "[WB650] pins, saved searches, prompts and the settings of a project are in every open page at once, and what is personal in no other person's",
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask, served } = opened;
    const tides = join(served.dataDir, 'tides');
    mkdirSync(tides);
    const { root } = await ask('root.create', { config: { directory: tides } });
    await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'Parse the stations' }] });
    const { page: stranger } = await openSecondPerson(opened, 'eve');
    const elsewhere = await openElsewhere(opened, '/');

    const row = page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('link', { name: /Parse the stations/u });
    await row.focus();
    await page.keyboard.press('*');
    const pinned = (where: Page) =>
      where.getByRole('navigation', { name: 'Conversations' }).getByRole('heading', { name: 'Pinned' });
    await pinned(page).waitFor();
    await pinned(elsewhere).waitFor();

    await page.goto('/search/tides');
    await elsewhere.goto('/search/stations');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await elsewhere.getByRole('link', { name: 'tides', exact: true }).waitFor();

    await elsewhere.goto('/settings/prompts');
    await elsewhere.getByText('There are no prompts yet.').waitFor();
    await ask('prompt.set', { name: 'brief', text: 'Be brief.' });
    await elsewhere.getByText('/brief').waitFor();

    await elsewhere.goto('/conversations');
    await elsewhere.getByRole('main').getByRole('button', { name: 'Settings of tides' }).click();
    const model = elsewhere.getByRole('combobox', { name: 'Default model' });
    await model.waitFor();
    await stranger.goto('/conversations');
    await stranger.getByRole('main').getByRole('button', { name: 'Settings of tides' }).click();
    await stranger.getByRole('combobox', { name: 'Default model' }).selectOption('demo:terse');
    await elsewhere
      .locator('select:has(option[value="demo:terse"]:checked), select:has(option:checked:text-is("demo:terse"))')
      .waitFor();
    assert.equal(await model.inputValue(), 'demo:terse');

    await stranger.goto('/');
    await stranger
      .getByRole('link', { name: /Parse the stations/u })
      .first()
      .waitFor();
    assert.equal(await pinned(stranger).count(), 0);
  },
);

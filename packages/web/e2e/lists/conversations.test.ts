import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { violations } from '../testing/axe.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';

test(
  '[WB340] [WB343] [WB344] [WB345] [WB346] [WB347] [WB348] [WB349] [WB575] conversations are grouped, pinned, filtered, selected, archived and brought back',
  { skip: noBrowser },
  async (t) => {
    const { page, ask, served } = await openPage(t, { isAlone: true });
    const [tides, notes] = ['tides', 'notes'].map((name) => join(served.dataDir, name));
    assert.ok(tides !== undefined && notes !== undefined);
    for (const folder of [tides, notes]) mkdirSync(folder);
    const roots: string[] = [];
    for (const [directory, said] of [
      [tides, 'Parse the stations'],
      [tides, 'Plot the gauges'],
      [notes, 'Name the harbors'],
      [undefined, 'Leap seconds'],
    ] as const) {
      const { root } = await ask('root.create', { config: directory === undefined ? {} : { directory } });
      await ask('node.append', { parent: root, messages: [{ role: 'user', content: said }] });
      roots.push(root);
    }
    const [stations = '', gauges = ''] = roots;
    const navigator = page.getByRole('navigation', { name: 'Conversations' });
    await navigator.getByRole('button', { name: /^tides/u, expanded: true }).waitFor();
    await navigator.getByRole('button', { name: /^No project/u, expanded: false }).waitFor();

    // By keyboard: along the rows, the card, and a pin.
    await navigator.getByRole('link', { name: /Plot the gauges/u }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('tooltip').getByText('tides').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await navigator
      .getByRole('link', { name: /Parse the stations/u })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('*');
    await navigator.getByRole('heading', { name: 'Pinned' }).waitFor();
    const { items: pins } = await ask('home.list', { prefix: 'pins/' });
    assert.deepEqual(
      pins.map(({ key }) => key),
      [`pins/${stations}`],
    );

    // The page of all conversations: a filter with its count, and a selection.
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    const main = page.getByRole('main');
    await main.getByRole('link', { name: /Leap seconds/u }).waitFor();
    await main.getByRole('button', { name: 'Project', exact: true }).click();
    await page.getByRole('dialog', { name: 'Project' }).getByRole('checkbox', { name: 'tides 2' }).check();
    await main.getByRole('link', { name: /Leap seconds/u }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');

    // The filter stays: when the page is loaded again, and on the way back from a conversation.
    const filtered = page.url();
    assert.equal(new URLSearchParams(new URL(filtered).hash.slice(1)).get('project'), tides);
    await page.reload();
    await main.getByRole('link', { name: /Plot the gauges/u }).click();
    await page.waitForURL(/\/r\//u);
    await page.goBack();
    await main.getByRole('link', { name: /Plot the gauges/u }).waitFor();
    assert.equal(await main.getByRole('link', { name: /Leap seconds/u }).count(), 0);
    assert.equal(page.url(), filtered);
    await main.getByRole('link', { name: /Plot the gauges/u }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('toolbar', { name: '2 selected' }).getByRole('button', { name: 'Archive' }).click();
    const archived = async (): Promise<(string | undefined)[]> =>
      (await ask('root.list', { archived: 'only' })).items.map(({ id }) => id).sort();
    await eventually(archived, (ids) => ids.join() === [stations, gauges].sort().join());
    await main.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(archived, (ids) => ids.length === 0);
    await main.getByRole('link', { name: /Plot the gauges/u }).waitFor();

    // All that match are deleted, after a question.
    await main.getByRole('link', { name: /Plot the gauges/u }).focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('toolbar', { name: '2 selected' }).getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 conversations?' }).getByRole('button', { name: 'Delete' }).click();
    const left = async (): Promise<number> => (await ask('root.list', {})).items.length;
    await eventually(left, (count) => count === 2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(left, (count) => count === 4);

    // A new conversation in the folder of a project, once the rows above it are back and it no longer moves.
    await navigator.getByRole('link', { name: 'All 4 conversations' }).waitFor();
    await navigator.getByRole('heading', { name: 'Pinned' }).waitFor();
    await navigator.getByRole('link', { name: /Plot the gauges/u }).waitFor();
    await navigator.getByRole('button', { name: /^notes/u }).hover();
    await navigator.getByRole('button', { name: 'New conversation in notes' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('hello');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/r\//u);
    const begun = new URL(page.url()).pathname.split('/')[2] ?? '';
    assert.equal((await ask('root.get', { root: begun })).config['directory'], notes);
  },
);

test(
  '[WB720] [WB721] on a phone everything that is done with many stands in a menu, and archived ones are brought back together',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { isAlone: true, width: 360, height: 780, path: '/conversations' });
    const roots: string[] = [];
    for (const content of ['Parse the stations', 'Plot the gauges', 'Name the harbors']) {
      const { root } = await ask('root.create', {});
      await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
      roots.push(root);
    }
    const main = page.getByRole('main');
    const archived = async (): Promise<string[]> =>
      (await ask('root.list', { archived: 'only' })).items.map(({ id }) => id).sort();
    const select = async (name: RegExp): Promise<void> => {
      await main.getByRole('link', { name }).focus();
      await page.keyboard.press('Space');
    };
    await select(/Plot the gauges/u);
    await page.keyboard.press('Shift+ArrowDown');
    const bar = page.getByRole('toolbar', { name: '2 selected' });
    const more = bar.getByRole('button', { name: 'More for the selected' });
    await more.click();
    for (const name of ['Select all 3', 'Pin', 'Tag…', 'Export…', 'Delete…']) {
      await page.getByRole('menuitem', { name, exact: true }).waitFor();
    }
    assert.deepEqual(await violations(page, { colorScheme: 'light', width: 360 }), []);
    await page.getByRole('menuitem', { name: 'Tag…' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('sea');
    await page.keyboard.press('Enter');
    await eventually(
      async () => (await ask('root.list', {})).items.filter(({ tags }) => tags.includes('sea')).length,
      (count) => count === 2,
    );
    await select(/Plot the gauges/u);
    await page.keyboard.press('Shift+ArrowDown');
    await bar.getByRole('button', { name: 'Archive' }).click();
    await eventually(archived, (ids) => ids.length === 2);

    // With the archived ones listed, they alone are brought back: by the bar, and by the key that archives the others.
    await page.goto('/conversations#archived=with');
    await page.reload();
    await select(/Plot the gauges/u);
    await page.getByRole('toolbar', { name: '1 selected' }).getByRole('button', { name: 'Bring back' }).waitFor();
    assert.equal(await page.getByRole('toolbar').getByRole('button', { name: 'Archive', exact: true }).count(), 0);
    await page.keyboard.press('Control+a');
    const all = page.getByRole('toolbar', { name: '3 selected' });
    await all.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    await all.getByRole('button', { name: 'Bring back' }).click();
    await eventually(archived, (ids) => ids.length === 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(archived, (ids) => ids.length === 2);
    // The key goes by what the row says.
    await main.locator('.list-row', { hasText: 'Plot the gauges' }).getByText('archived', { exact: true }).waitFor();
    await main.getByRole('link', { name: /Plot the gauges/u }).focus();
    await page.keyboard.press('#');
    await eventually(archived, (ids) => ids.length === 1);
  },
);

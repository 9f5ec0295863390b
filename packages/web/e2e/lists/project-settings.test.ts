import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { judge } from '../testing/judge.ts';
import { eventually, openPage } from '../testing/open-page.ts';

test(
  '[WB580] [WB581] the settings of a project are changed in the page, and conversations that begin there inherit them',
  { skip: noBrowser },
  async (t) => {
    const { page, ask, served } = await openPage(t, { isAlone: true, path: '/conversations' });
    const tides = join(served.dataDir, 'tides');
    mkdirSync(tides);
    writeFileSync(join(tides, 'AGENTS.md'), '# Tides\n\nUse metric units.\n');
    const { root } = await ask('root.create', { config: { directory: tides } });
    await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'Parse the stations' }] });
    const main = page.getByRole('main');
    // By keyboard alone.
    await main.getByRole('button', { name: 'Settings of tides' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Settings of tides' });
    await dialog.getByText(/AGENTS\.md$/u).click();
    await dialog.getByText('Use metric units.').waitFor();
    await judge(page, 'project-settings');
    await page.setViewportSize({ width: 360, height: 780 });
    await judge(page, 'project-settings-360');
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('combobox', { name: 'Default model' }).selectOption('demo:terse');
    const config = async () => (await ask('project.get', { directory: tides })).config;
    await eventually(config, ({ model }) => model === 'demo:terse');
    await dialog.getByRole('switch', { name: 'Instructions' }).focus();
    await page.keyboard.press('Space');
    await eventually(config, ({ instructions }) => instructions === false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    const navigator = page.getByRole('navigation', { name: 'Conversations' });
    await navigator.getByRole('button', { name: /^tides/u }).hover();
    await navigator.getByRole('button', { name: 'New conversation in tides' }).click();
    await page.getByRole('button', { name: /demo:terse|terse/u }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('hello');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/r\//u);
    const begun = new URL(page.url()).pathname.split('/')[2] ?? '';
    const { config: own } = await ask('root.get', { root: begun });
    assert.deepEqual([own['directory'], own['instructions']], [tides, false]);
    await eventually(
      async () => (await ask('root.list', { model: 'terse' })).items.map(({ id }) => id),
      (ids) => ids.includes(begun),
    );
  },
);

test(
  '[WB722] the menu of a project in the navigator opens its settings and all of its conversations, by keys alone',
  { skip: noBrowser },
  async (t) => {
    const { page, ask, served } = await openPage(t, { isAlone: true });
    const tides = join(served.dataDir, 'tides');
    mkdirSync(tides);
    const { root } = await ask('root.create', { config: { directory: tides } });
    await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'Parse the stations' }] });
    const navigator = page.getByRole('navigation', { name: 'Conversations' });
    const more = navigator.getByRole('button', { name: 'More about tides' });
    // The page begins with the focus in the message field.
    await page.locator('#composer:focus').waitFor();
    const openMenu = async (): Promise<void> => {
      await navigator.getByRole('button', { name: /^tides/u }).focus();
      await page.keyboard.press('Tab');
      await more.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
    };
    await openMenu();
    await page.getByRole('menuitem', { name: 'Settings of the project…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Settings of tides' });
    await dialog.getByRole('switch', { name: 'Instructions' }).press('Space');
    await eventually(
      async () => (await ask('project.get', { directory: tides })).config.instructions,
      (instructions) => instructions === false,
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openMenu();
    await page.getByRole('menuitem', { name: 'Show all of the project' }).press('Enter');
    await page.waitForURL(/\/conversations#project=/u);
    await page
      .getByRole('main')
      .getByRole('link', { name: /Parse the stations/u })
      .waitFor();
  },
);

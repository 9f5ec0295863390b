import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

/** An environment in which git knows nothing of the person's own settings. */
const plainGit = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' };

/** A folder with two folders, until the test is over. */
function makeFolders(t: TestContext): string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'loom-folders-')));
  t.after(() => rmSync(top, { recursive: true, force: true }));
  mkdirSync(join(top, 'tides/src'), { recursive: true });
  mkdirSync(join(top, 'notes'));
  writeFileSync(join(top, 'tides/src/station-list.ts'), 'export {};\n');
  return top;
}

/** Opens the picker; its field has the focus. */
async function openPicker(page: Page, chosen: string): Promise<void> {
  await page.getByRole('button', { name: `Folder: ${chosen}` }).click();
  await page.getByRole('combobox', { name: 'Filter, or type a path' }).and(page.locator(':focus')).waitFor();
}

/** Sends what is typed, and returns the conversation that it begins. */
async function begin({ page }: OpenedPage, text: string): Promise<string> {
  await page.locator('#composer:focus').waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/r\//u);
  return decodeURIComponent(new URL(page.url()).pathname.slice('/r/'.length));
}

test(
  '[WB232] a folder is chosen by its path, by looking through folders, among recent ones, or none; an unusable one is not',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, allowed: /folder\.list/u });
    const { page, ask } = opened;
    const top = makeFolders(t);
    const directoryOf = async (root: string) => (await ask('root.get', { root })).config['directory'];
    await openPicker(page, 'No folder');
    await page.keyboard.type(`${top}/nowhere`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not exist').waitFor();
    // A path is completed by the folders that are there.
    await page.getByRole('combobox').fill(`${top}/ti`);
    await page.getByRole('option', { name: 'tides', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Use tides' }).waitFor();
    await page.getByRole('option', { name: '..' }).click();
    await page.getByRole('option', { name: 'tides', exact: true }).click();
    await page.getByRole('option', { name: 'Use tides' }).click();
    await page.getByRole('button', { name: 'Folder: tides' }).waitFor();
    const root = await begin(opened, 'hello');
    assert.equal(await directoryOf(root), join(top, 'tides'));

    // The next conversation begins there, too, until another one is chosen.
    await page.goto('/');
    await openPicker(page, 'tides');
    await page.getByRole('option', { name: 'tides', selected: true }).waitFor();
    await page.keyboard.type('no fol');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder: No folder' }).waitFor();
    const without = await begin(opened, 'hello again');
    assert.equal(await directoryOf(without), undefined);

    // The folder of a conversation that goes on is chosen in its header, also by someone who types faster than the list comes.
    const come = Promise.withResolvers<void>();
    await page.route(/folder\.list/u, async (route) => {
      await come.promise;
      await route.continue();
    });
    await openPicker(page, 'No folder');
    await page.keyboard.type('tid');
    await page.keyboard.press('Enter');
    come.resolve();
    await page.getByRole('button', { name: 'Folder: tides' }).waitFor();
    await eventually(
      () => directoryOf(without),
      (directory) => directory === join(top, 'tides'),
    );
  },
);

test(
  '[WB260] an @ completes files of the folder, before the first message and after it; the message names the path',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const top = makeFolders(t);
    await openPicker(page, 'No folder');
    await page.keyboard.type(`${top}/tides`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder: tides' }).waitFor();
    const complete = async (text: string): Promise<void> => {
      await page.locator('#composer:focus').waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { name: 'src/station-list.ts file' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('listbox', { name: 'Insert' }).waitFor({ state: 'detached' });
    };
    await complete('Read @stlist');
    assert.equal(await page.locator('#composer').inputValue(), 'Read src/station-list.ts ');
    const root = await begin(opened, 'please');
    await page.getByRole('feed').getByText('Read src/station-list.ts please').waitFor();
    await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.length > 0 && items.every(({ ended }) => ended !== undefined),
    );
    await complete('And again @station');
    assert.equal(await page.locator('#composer').inputValue(), 'And again src/station-list.ts ');
    await page.keyboard.press('Control+Enter');
    await eventually(
      () => ask('tree.subtree', { top: root }),
      ({ items }) => items.some(({ message }) => JSON.stringify(message.content).includes('again src/station-list.ts')),
    );
  },
);

test(
  '[WB659] a file behind an @ goes with the message, as a chip with its size; one that cannot go is told',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { allowed: /400 .*folder\.read_file/u });
    const { page, ask } = opened;
    const directory = join(makeFolders(t), 'tides');
    writeFileSync(join(directory, 'high-water.md'), 'At noon.\n');
    writeFileSync(join(directory, 'sound.wav'), Buffer.from([0x52, 0x49, 0, 255]));
    const { root } = await ask('root.create', { config: { directory } });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.locator('#composer:focus').waitFor();
    await page.keyboard.type('Read @highw');
    await page.getByRole('option', { name: 'high-water.md file' }).waitFor();
    await page.keyboard.press('Enter');
    const chips = page.getByRole('list', { name: 'Attachments' });
    await chips
      .getByRole('listitem')
      .filter({ hasText: /high-water\.md\s*\d+ B/u })
      .waitFor();
    await page.keyboard.type('and @sound');
    await page.getByRole('option', { name: 'sound.wav file' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('is neither a picture nor a PDF nor UTF-8 text').first().waitFor();
    assert.equal(await chips.getByRole('listitem').count(), 1);
    await page.locator('#composer').press('Control+Enter');
    const { items } = await eventually(
      () => ask('tree.subtree', { top: root }),
      ({ items: nodes }) => nodes.length > 0,
    );
    assert.deepEqual(
      items[0]?.message.content.map((block) => (block.type === 'text' ? block.text : block.type)),
      ['From "high-water.md":\n\n```md\nAt noon.\n```', 'Read high-water.md and sound.wav'],
    );
  },
);

test(
  '[WB264] [WB265] a conversation begins in a new worktree, without the instructions of its folder, and its work is merged back',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { width: 1500 });
    const { page, ask } = opened;
    const directory = join(makeFolders(t), 'tides');
    writeFileSync(join(directory, 'AGENTS.md'), 'Use tabs.\n');
    const git = (...args: string[]): void => void execFileSync('git', ['-C', directory, ...args], { env: plainGit });
    git('init', '-q', '-b', 'main');
    // Loom commits in the name of the repository's author.
    git('config', 'user.name', 'Jo');
    git('config', 'user.email', 'jo@example.org');
    git('add', '.');
    git('commit', '-q', '-m', 'Begin');
    await openPicker(page, 'No folder');
    await page.keyboard.type(directory);
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'In a new worktree' }).check();
    await page.getByRole('button', { name: /^Tools: /u }).click();
    const panel = page.getByRole('dialog', { name: 'Tools' });
    await panel.getByRole('button', { name: /^Instructions of the folder/u }).click();
    await panel.getByText('Use tabs.').waitFor();
    await panel.getByRole('switch', { name: 'Instructions of the folder', checked: true }).click();
    await panel.getByRole('switch', { name: 'Instructions of the folder', checked: false }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#composer').focus();
    const root = await begin(opened, 'hello');
    const { config } = await ask('root.get', { root });
    const place = String(config['directory']);
    assert.ok(place.startsWith(`${directory}-worktrees/`), place);
    assert.equal(config['instructions'], false);

    writeFileSync(join(place, 'made.txt'), 'one\n');
    await page.getByRole('tab', { name: /^Changes/u }).click();
    await page.getByRole('button', { name: 'Merge back…' }).click();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText('Merged into the branch that it was made from.').waitFor();
    assert.ok(existsSync(join(directory, 'made.txt')));
  },
);

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Locator } from 'playwright-core';
import { violationsInAllLooks } from '../testing/axe.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage, OpenOptions } from '../testing/open-page.ts';

/** A conversation in which the demo model wrote a file of a repository, and what it is called there. */
async function writeTides(t: TestContext, options: OpenOptions = {}): Promise<OpenedPage & WrittenFile> {
  const opened = await openPage(t, { width: 1500, ...options });
  const { ask } = opened;
  const directory = mkdtempSync(join(tmpdir(), 'loom-blame-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'tides.txt');
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-C', directory, '-c', 'user.name=Jo', '-c', 'user.email=jo@example.org', ...args]);
  git('init', '--quiet');
  const { root } = await ask('root.create', { config: { directory, approval_mode: 'edit' } });
  const parameters = { path: 'tides.txt', content: 'Tides\n\nhigh water at noon\nlow water at six\n' };
  const content = `call write ${JSON.stringify(parameters)}`;
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await ask('turn.start', { node: nodes.at(-1) ?? root, provider: 'demo', model: 'demo', tools: ['write'] });
  await eventually(
    () => ask('turn.list', { root }),
    ({ items }) => items.every(({ ended }) => ended !== undefined),
  );
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Add the tides');
  appendFileSync(path, 'written by hand\n');
  return { ...opened, root, path };
}

interface WrittenFile {
  root: string;
  path: string;
}

const dialogOf = ({ page }: OpenedPage): Locator => page.getByRole('dialog', { name: 'Who wrote this?' });

test(
  '[WB705] [WB706] from a line of a change the reader goes to the turn that wrote it, and sees where none is known',
  { skip: noBrowser },
  async (t) => {
    const opened = await writeTides(t);
    const { page, root, path } = opened;
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: /^Write tides\.txt/u }).click();
    const card = page.getByRole('group', { name: 'Changes of tides.txt' });
    await card.getByRole('button', { name: 'Who wrote line 3?' }).click();
    const dialog = dialogOf(opened);
    const chosen = dialog.getByRole('region', { name: 'Chosen lines' });
    await chosen.locator('.blame-line', { hasText: 'high water at noon' }).waitFor();
    await chosen.getByText(/^Turn 1 of/u).waitFor();
    const link = chosen.getByRole('link', { name: /^call write/u });
    await eventually(
      () => link.getAttribute('href'),
      (href) => href?.includes('#') === true,
    );
    await link.click();
    await page.waitForURL(/\/r\/[^/]+\/[^/]+#/u);
    await dialog.waitFor({ state: 'detached' });
    await card.waitFor();

    // A line that was written by hand afterwards has no turn; all are in the list.
    const bar = page.locator('.change-head').last();
    await bar.getByRole('button', { name: 'Who wrote this file?' }).click();
    const lines = dialog.getByRole('region', { name: 'Lines of tides.txt' });
    await lines.getByRole('button', { name: /^line 5/u }).press('Enter');
    await chosen.getByText('Not known.').waitFor();
    await chosen.getByText('Not committed yet.').waitFor();
    assert.deepEqual(await violationsInAllLooks(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    // A changed line is found where it stands now; one that is gone is said to be.
    writeFileSync(path, 'new first line\nTides\n\nhigh water at noon\n');
    await card.getByRole('button', { name: 'Who wrote line 3?' }).click();
    await chosen.locator('.blame-number', { hasText: /^4$/u }).waitFor();
    await page.keyboard.press('Escape');
    await card.getByRole('button', { name: 'Who wrote line 4?' }).click();
    await chosen.getByText('This line is no longer in the file').waitFor();
  },
);

test(
  '[WB707] by keys alone a line of a review leads to its turn, and its commit to the turns behind it',
  { skip: noBrowser },
  async (t) => {
    const opened = await writeTides(t);
    const { page, root } = opened;
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: 'Review changes' }).first().click();
    await page.getByRole('region', { name: 'tides.txt' }).getByText('high water at noon').waitFor();
    await page.getByRole('button', { name: 'Who wrote line 3?' }).waitFor();
    await page.getByRole('region', { name: 'Changes', exact: true }).focus();
    await page.keyboard.press('n');
    await page.keyboard.press('b');
    const dialog = dialogOf(opened);
    const commit = dialog.getByRole('button', { name: 'Turns behind this commit' });
    await commit.press('Enter');
    const behind = page.getByRole('dialog', { name: 'Turns behind a commit' });
    await behind.getByText(/Add the tides \(Jo,/u).waitFor();
    await behind.getByText('The turn of all 4 added lines is known.').waitFor();
    await behind.getByRole('link', { name: /^call write/u }).press('Enter');
    await page.waitForURL(/\/r\//u);
    await behind.waitFor({ state: 'detached' });
  },
);

test(
  '[WB708] a file and line are named in the palette, and what cannot be read is said, also at 360 px',
  { skip: noBrowser },
  async (t) => {
    const allowed = /status of 4\d\d .*: \/api\/v1\/file\.blame$/u;
    const opened = await writeTides(t, { width: 360, height: 740, allowed });
    const { page, root } = opened;
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.locator('#composer').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>who wrote');
    await page.getByRole('option', { name: /Who wrote a line/u }).click();
    const dialog = dialogOf(opened);
    await page.getByRole('textbox', { name: 'File, or file:line' }).and(page.locator(':focus')).waitFor();
    await dialog.getByRole('textbox').fill('tides.txt:5');
    await dialog.getByRole('textbox').press('Enter');
    await dialog.getByText('Not known.').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    await dialog.getByRole('textbox').fill('nowhere.txt');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('does not exist').waitFor();
  },
);

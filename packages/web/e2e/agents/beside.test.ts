import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { noBrowser } from '../testing/chromium.ts';
import { openPage } from '../testing/open-page.ts';
import { standInAgent } from '../testing/stand-in-agent.ts';

/** A repository with a commit, until the test is over. */
function makeRepository(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loom-beside-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const top = join(folder, 'tides');
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  execFileSync('git', ['init', '-q', '-b', 'main', top]);
  execFileSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: top });
  return top;
}

async function violations(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const { violations: found } = z
    .object({ violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })) })
    .parse(await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`));
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test(
  '[WB540] [WB541] two that are asked at once answer side by side, each in a worktree; one is decided and gone on with there, by keys alone',
  { skip: noBrowser },
  async (t) => {
    const { env } = standInAgent(t);
    const opened = await openPage(t, { isAlone: true, env, width: 1280, height: 800 });
    const { page, ask } = opened;
    const directory = makeRepository(t);
    await page.getByRole('button', { name: 'Folder: No folder' }).click();
    await page.getByRole('combobox', { name: 'Filter, or type a path' }).fill(directory);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder: tides' }).waitFor();
    await page.getByRole('button', { name: /^Who answers/u }).click();
    const picker = page.getByRole('dialog', { name: 'Who answers' });
    await picker.getByRole('option', { name: /^Claude Code 9\.0\.0/u }).waitFor();
    await picker.getByRole('checkbox', { name: 'Several side by side' }).check();
    await picker.getByRole('option', { name: /^Claude Code 9\.0\.0/u }).click();
    await page.keyboard.press('Escape');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('ask');
    await field.press('Enter');
    await page.waitForURL(/\/agents\/.+/u);
    const question = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    const column = (name: RegExp) => page.getByRole('region', { name });
    const claude = column(/^Claude Code/u);
    await column(/^Demo/iu).getByRole('link', { name: 'Continue with this' }).waitFor();
    const { items } = await ask('board.list', { question });
    assert.equal(items.length, 2);
    const places = new Set(items.map((item) => item.directory));
    assert.equal(places.size, 2);
    for (const place of places) assert.match(place ?? '', /tides-worktrees/u);
    await claude.getByText(/loom\/[0-9a-f]{8} · worktree/u).waitFor();

    // The agent asks; its card is decided in its column.
    await claude.locator('button[aria-disabled=false]', { hasText: 'Allow once' }).click();
    await claude.getByText('You said ask.').waitFor();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await violations(page), [], `${colorScheme}, ${width}`);
        const wide = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(wide, width, 'nothing is wider than the screen');
        await picture(page, `beside-${colorScheme}-${width}`);
      }
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.locator('.beside-column[tabindex="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await page.locator('.beside-column:focus').nth(0).waitFor();
    assert.match((await page.locator('.beside-column:focus').getAttribute('aria-label')) ?? '', /2 of 2$/u);
    await page.goto('/agents');
    const row = page.getByRole('listitem').filter({ hasText: 'Claude Code' });
    await row.getByRole('link', { name: 'Side by side' }).click();
    await page.waitForURL(new RegExp(`/agents/${question}$`, 'u'));
    await claude.getByRole('link', { name: 'Continue with this' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/r\//u);
    await page.getByRole('feed').getByText('You said ask.').waitFor();
  },
);

/** Keeps a picture for people who look at the page, where they name a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['LOOM_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

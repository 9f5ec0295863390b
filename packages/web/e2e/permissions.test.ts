import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

/** A folder for tools to work in, until the test is over. */
function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'loom-work-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Lets the demo model call a tool in a conversation. */
async function call({ ask }: OpenedPage, root: string, tool: string, parameters: object): Promise<void> {
  const content = `call ${tool} ${JSON.stringify(parameters)}`;
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await ask('turn.start', { node: nodes.at(-1) ?? root, provider: 'demo', model: 'demo', tools: [tool] });
}

const madeToken = z.object({ token: z.string() });

/** A button of a card, once it acts. */
const ready = (page: Page, words: string) => page.locator('button[aria-disabled=false]', { hasText: words });

test(
  '[WB234] [WB236] [WB268] always in this folder stores the shown rule, which is listed, tested, and removed again',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask } = opened;
    const directory = makeFolder(t);
    const { root } = await ask('root.create', { config: { directory } });
    await call(opened, root, 'shell', { command: 'ls -a' });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await ready(page, 'Always allow…').click();
    const rule = page.getByRole('group', { name: 'Always allow' });
    await rule.getByRole('radio', { name: /^Always in /u, checked: true }).waitFor();
    // The full path is in the tooltips alone.
    await rule
      .getByTitle(directory)
      .getByText(`Every conversation that works in ${basename(directory)}`)
      .waitFor();
    await page.getByRole('list', { name: 'What to know' }).getByTitle(directory).waitFor();
    assert.equal(await page.getByText(directory).count(), 0);
    await ready(page, 'Allow and remember').click();
    await page.getByRole('group', { name: 'Run ls -a' }).getByText('exit 0').waitFor();

    await page.goto('/settings/permissions');
    const row = page.getByRole('row').filter({ hasText: 'Run ls with any arguments, as one command' });
    await row.getByRole('cell', { name: 'Allow' }).waitFor();
    await row.getByText(/^you, now$/u).waitFor();
    await page.getByRole('button', { name: 'Test a command…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test a command' });
    await dialog.getByLabel('In the folder').fill(directory);
    const tryOut = async (command: string, outcome: string): Promise<void> => {
      await dialog.getByLabel('Command').fill(command);
      await dialog.getByRole('button', { name: 'Test', exact: true }).click();
      await dialog.getByText(outcome).waitFor();
    };
    await tryOut('ls -l', 'It would run without asking.');
    await tryOut('ls; rm -rf x', 'It would ask first.');
    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: /^Actions for/u }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByText('There are no rules.').waitFor();
    await page.getByRole('link', { name: 'Decision history' }).click();
    await page.getByRole('listitem').filter({ hasText: 'ls -a' }).getByText('Allowed').waitFor();
  },
);

test(
  '[WB235] the mode of a conversation decides what asks; one without a sandbox says why, and others than owners read it',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const directory = makeFolder(t);
    const { root } = await ask('root.create', { config: { directory } });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: 'Mode: Ask before changes' }).click();
    await page
      .getByRole('menuitemradio', { name: /^Ask before/u })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mode: Edit in this folder' }).waitFor();
    // The composer has the focus again.
    await page.locator('#composer:focus').waitFor();
    await call(opened, root, 'write', { path: 'a.txt', content: 'one\n' });
    await eventually(
      async () => existsSync(join(directory, 'a.txt')),
      (isThere) => isThere,
    );
    await page.getByRole('group', { name: 'Write a.txt' }).getByText('+1').waitFor();

    await page.route('**/api/v1/sandbox.get', (route) =>
      route.fulfill({
        json: { ok: true, value: { available: false, reason: 'Bubblewrap is not installed.', holds: [] } },
      }),
    );
    await page.reload();
    await page.getByRole('button', { name: /^Mode/u }).click();
    const sandbox = page.getByRole('menuitemradio', { name: /^Sandbox/u });
    await sandbox.getByText('Sandbox is not available: Bubblewrap is not installed.').waitFor();
    await sandbox.click({ force: true });
    await page.keyboard.press('Escape');
    assert.equal((await ask('root.get', { root })).config['approval_mode'], 'edit');

    const { token } = madeToken.parse(
      await ask<string>('token.create', { agent: 'sam', type: 'person', role: 'writer' }),
    );
    await page.evaluate((own) => {
      localStorage.setItem('loom-token', own);
      localStorage.setItem('loom-agent', 'sam');
    }, token);
    await page.reload();
    await page.getByText('Edit in this folder', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Mode/u }).count(), 0);
  },
);

test(
  '[WB237] commands in the background stand above the field with the end of their output, and are stopped there',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root } = await ask('root.create', { config: { directory: makeFolder(t) } });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const command = 'echo ready; until [ -e never ]; do sleep 0.05; done';
    await call(opened, root, 'shell', { command, background: true });
    await ready(page, 'Allow once').click();
    await page.getByText('In the background:').waitFor();
    await page.getByRole('button', { name: 'Show output' }).click();
    const shown = page.getByRole('region', { name: command });
    await shown.getByLabel(`Output of ${command}`).getByText('ready').waitFor();
    await shown.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('In the background:').waitFor({ state: 'detached' });
  },
);

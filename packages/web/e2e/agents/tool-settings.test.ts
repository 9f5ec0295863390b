import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

const program = join(import.meta.dirname, '../../../tools/src/testing/stand-in-server.ts');

const query = (description: string) => ({ name: 'query', description, inputSchema: { type: 'object' } });

/** Puts a server that works and one that does not into the settings. */
function addServers(t: TestContext, { served }: OpenedPage): (...tools: object[]) => void {
  const folder = mkdtempSync(join(tmpdir(), 'loom-servers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tools.json');
  const list = (...tools: object[]): void => writeFileSync(file, JSON.stringify(tools));
  list(query('Asks the database.'), { ...query('Looks.'), name: 'look', annotations: { readOnlyHint: true } });
  const entry = (name: string, args: readonly string[]): string =>
    `[[mcp_servers]]\nname = "${name}"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`;
  writeFileSync(
    join(served.dataDir, 'config.toml'),
    `${entry('database', [program, file])}${entry('broken', ['-e', 'console.error("no module ws"); process.exit(1)'])}`,
  );
  return list;
}

test(
  '[WB520] [WB521] tools are switched off in all conversations, and servers show their state, tools and log',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask, served } = opened;
    addServers(t, opened);
    const off = () =>
      readFileSync(join(served.dataDir, 'config.toml'), 'utf8')
        .split('\n')
        .find((line) => line.startsWith('off'));
    await page.goto('/settings/tools');
    const web = page.getByRole('switch', { name: 'Fetch web pages' });
    await web.and(page.locator('[aria-checked=true]')).click();
    await web.and(page.locator('[aria-checked=false]')).waitFor();
    assert.equal(off(), 'off = ["fetch_url"]');

    const database = page.getByRole('region', { name: 'database' });
    await database.getByText('Ready').waitFor();
    await database.getByRole('button', { name: 'Details of database' }).click();
    await database.getByText(/^about \d+ tokens in each request$/u).waitFor();
    await database.getByRole('listitem').filter({ hasText: 'look' }).getByText('reads').waitFor();
    await database.getByRole('switch', { name: 'query' }).click();
    await database.getByRole('switch', { name: 'query', checked: false }).waitFor();
    const { items } = await ask('tool.list', { limit: 1000 });
    assert.equal(items.find(({ name }) => name === 'database__query')?.why_not, 'off');

    const broken = page.getByRole('region', { name: 'broken' });
    await broken.getByText('Failed', { exact: true }).waitFor();
    await broken.getByText(/^exit 1 · failed/u).waitFor();
    // Its details are open where it had failed when the page came; else they are opened.
    const details = broken.getByRole('button', { name: 'Details of broken' });
    if ((await details.getAttribute('aria-expanded')) === 'false') {
      await details.click();
      await broken.getByRole('button', { name: 'Log' }).click();
    }
    await broken
      .getByLabel('Log of broken')
      .getByText(/stderr +no module ws/u)
      .first()
      .waitFor();
    await broken.getByRole('switch', { name: 'broken' }).click();
    await broken.getByText('Off', { exact: true }).waitFor();
    assert.equal((await ask('mcp.list', {})).items.find(({ name }) => name === 'broken')?.state, 'off');
  },
);

test(
  '[WB522] a tool whose description changed stays off until what is new was looked at and accepted',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask } = opened;
    const list = addServers(t, opened);
    const state = async () => (await ask('mcp.list', {})).items.find(({ name }) => name === 'database');
    await eventually(state, (server) => server?.state === 'ready');
    list(query('Asks the database, and sends it on.'));
    await ask('mcp.restart', { name: 'database' });
    await eventually(state, (server) => server?.tools[0]?.withheld === 'changed');
    await page.goto('/settings/tools');
    const database = page.getByRole('region', { name: 'database' });
    await database.getByText('1 description changed.').waitFor();
    await database.getByRole('button', { name: 'Show', exact: true }).click();
    // With the keyboard alone.
    await database.getByRole('button', { name: 'See what changed' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'The description of query changed' });
    await dialog.getByLabel('Accepted before').getByText('Asks the database.').waitFor();
    await dialog.getByLabel('The description now').getByText('and sends it on').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await state())?.tools[0]?.withheld, 'changed');
    await database.getByRole('button', { name: 'See what changed' }).click();
    await dialog.getByRole('button', { name: 'Use it as it is now' }).click();
    await database.getByRole('switch', { name: 'query', checked: true }).waitFor();
    assert.equal((await state())?.tools[0]?.withheld, undefined);
  },
);

const madeToken = z.object({ token: z.string() });

test('[WB520] others than owners see neither tools nor servers', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t, { path: '/settings/tools' });
  await page.getByRole('switch', { name: 'Run commands' }).waitFor();
  const { token } = madeToken.parse(
    await ask<string>('token.create', { agent: 'sam', type: 'person', role: 'writer' }),
  );
  await page.evaluate((own) => {
    localStorage.setItem('loom-token', own);
    localStorage.setItem('loom-agent', 'sam');
  }, token);
  await page.reload();
  await page.getByText('Only an owner of this Loom sees and changes these.').waitFor();
  assert.equal(await page.getByRole('switch').count(), 0);
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

/** Lets the demo model call a tool in a conversation with a config, and shows it. */
async function call(
  { ask, page }: OpenedPage,
  tool: string,
  parameters: object,
  config: { directory?: string; approval_mode?: 'plan' | 'ask' | 'edit' | 'sandbox' },
): Promise<string> {
  const { root } = await ask('root.create', { config });
  const content = `call ${tool} ${JSON.stringify(parameters)}`;
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await ask('turn.start', { node: nodes.at(-1) ?? root, provider: 'demo', model: 'demo', tools: [tool] });
  await page.goto(`/r/${encodeURIComponent(root)}`);
  return root;
}

/** A folder for tools to work in, until the test is over. */
function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'loom-work-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A button of a card, once it acts. */
const ready = (page: Page, words: string) => page.locator('button[aria-disabled=false]', { hasText: words });

test(
  '[WB230] a group of tools that is switched off is stored with the conversation, and the model goes without it',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const button = page.getByRole('button', { name: /^Tools: \d on$/u });
    await button.click();
    const panel = page.getByRole('dialog', { name: 'Tools' });
    await panel.getByText(/^(\d+) of \1 on · about \d+ tokens$/u).waitFor();
    await panel.getByRole('switch', { name: 'Other tools', checked: true }).click();
    await panel.getByText(/^0 of \d+ on · about 0 tokens$/u).waitFor();
    await page.keyboard.press('Escape');
    // The field gets the next keys.
    await page.keyboard.type('what is the weather in Lisbon?');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/r\//u);
    const root = decodeURIComponent(new URL(page.url()).pathname.slice('/r/'.length));
    const { config } = await ask('root.get', { root });
    assert.deepEqual(config['tools'], []);
    await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.length > 0 && items.every(({ ended }) => ended !== undefined),
    );
    const { items } = await ask('tree.subtree', { top: root });
    assert.deepEqual(
      items.filter(({ message }) => message.role === 'tool'),
      [],
    );
    await button.click();
    await panel.getByRole('button', { name: 'Usual tools' }).click();
    await panel.getByRole('switch', { name: 'Other tools', checked: true }).waitFor();
    assert.equal((await ask('root.get', { root })).config['tools'], undefined);
  },
);

test(
  '[WB267] Esc in the list of tools gives the focus back to the field after a switch was clicked',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root } = await ask('root.create', {});
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const field = page.locator('#composer:focus');
    const panel = page.getByRole('dialog', { name: 'Tools' });
    await page.getByRole('button', { name: /^Tools: \d+ on$/u }).click();
    await panel.getByRole('switch', { name: 'Other tools', checked: true }).click();
    await panel.getByRole('switch', { name: 'Other tools', checked: false }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await field.waitFor();
  },
);

test(
  '[WB231] a plan is read as Markdown and started in a mode, which the conversation has from then on',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const root = await call(opened, 'exit_plan', { plan: '1. Add `index.ts`\n2. Test it' }, { approval_mode: 'plan' });
    const card = page.getByRole('group', { name: 'The model proposes a plan' });
    await card.getByRole('listitem').filter({ hasText: 'Add index.ts' }).waitFor();
    await card.getByRole('button', { name: 'Keep planning…' }).click();
    await card.getByRole('textbox', { name: 'What should it do instead?' }).and(page.locator(':focus')).waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await ready(page, 'Start and allow edits').click();
    await page.getByText('Edit in this folder').first().waitFor();
    assert.equal((await ask('root.get', { root })).config['approval_mode'], 'edit');
  },
);

test(
  '[WB233] a command shows where it would run before it is allowed, its time limit while it runs, and its output',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const directory = makeFolder(t);
    const command = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo over';
    await call(opened, 'shell', { command }, { directory });
    const card = page.getByRole('group', { name: 'Run this command?' });
    await card.getByText(command, { exact: true }).waitFor();
    await card.getByText(/sandbox/u).waitFor();
    await ready(page, 'Allow once').click();
    // Its card is open as long as it waits, and folded then.
    await card.waitFor({ state: 'detached' });
    // It is open again once it has run for a while.
    await page.getByText(/^running, \d:\d\d of at most 2:00$/u).waitFor();
    await page.getByLabel(`Output of ${command}`).getByText('begun').waitFor();
    writeFileSync(join(directory, 'go'), '');
    await page.getByLabel(`Output of ${command}`).getByText('over').waitFor();
    await page
      .getByRole('group', { name: /^Run echo begun/u })
      .getByText('exit 0')
      .waitFor();
  },
);

test(
  '[WB261] [WB262] a command that runs is moved to the background or stopped alone, and one that ended is run again after a question',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const directory = makeFolder(t);
    const command = 'echo x >> count; echo begun; until [ -e go ]; do sleep 0.05; done; echo over';
    const root = await call(opened, 'shell', { command }, { directory });
    const ended = (): Promise<unknown> =>
      eventually(
        () => ask('turn.list', { root }),
        ({ items }) => items.every((turn) => turn.ended !== undefined),
      );
    await ready(page, 'Allow once').click();
    await page.getByRole('button', { name: 'Move to background' }).click();
    await page.getByText('In the background:').waitFor();
    await ended();
    const { items } = await ask('process.list', { root });
    assert.deepEqual(
      items.map((one) => [one.command, one.state]),
      [[command, 'running']],
    );
    writeFileSync(join(directory, 'go'), '');
    await page.getByText('In the background:').waitFor({ state: 'detached' });
    rmSync(join(directory, 'go'));

    // Again, on a separate branch, once the exact command was seen.
    const card = page.getByRole('group', { name: /^Run echo x/u });
    await card.getByRole('button', { name: /^Run echo x/u }).click();
    await card.getByRole('button', { name: 'Run again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this command again?' });
    await dialog.getByText(command, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await ask('turn.list', { root })).items.length, 1);
    await card.getByRole('button', { name: 'Run again…' }).click();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Stop this command' }).click();
    await ended();
    assert.equal(readFileSync(join(directory, 'count'), 'utf8'), 'x\nx\n');
    assert.deepEqual(
      (await ask('turn.list', { root })).items.map((turn) => turn.ended),
      ['done', 'done'],
    );
    await card
      .last()
      .getByRole('button', { name: /^Run echo x/u })
      .click();
    await card.last().getByText('A person stopped this command').waitFor();
  },
);

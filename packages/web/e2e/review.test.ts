import assert from 'node:assert/strict';
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

const demo = { provider: 'demo', model: 'demo' };

/** Lets the demo model write a file, without being asked, and waits until it is done. */
async function change(opened: OpenedPage, root: string, parent: string, parameters: object): Promise<string> {
  return work(opened, root, { parent, tool: 'write', parameters });
}

/** Lets the demo model call a tool, without being asked, and waits until it is done. */
async function work(
  { ask }: OpenedPage,
  root: string,
  { parent, tool, parameters }: { parent: string; tool: string; parameters: object },
): Promise<string> {
  const content = `call ${tool} ${JSON.stringify(parameters)}`;
  const { nodes } = await ask('node.append', { parent, messages: [{ role: 'user', content }] });
  await ask('turn.start', { node: nodes.at(-1) ?? root, ...demo, tools: [tool] });
  await eventually(
    () => ask('turn.list', { root }),
    ({ items }) => items.every(({ ended }) => ended !== undefined),
  );
  const { nodes: leaves } = await ask('tree.recent_leaves', { root, limit: 1 });
  return leaves[0]?.id ?? root;
}

test(
  '[WB240] [WB241] [WB242] [WB243] the files of a turn are listed, reviewed, commented on, taken back and done again',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const directory = mkdtempSync(join(tmpdir(), 'loom-review-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'kept.txt'), 'before\n');
    const { root } = await ask('root.create', { config: { directory, approval_mode: 'edit' } });
    const first = await change(opened, root, root, { path: 'src/first.txt', content: 'one\ntwo\n' });
    await change(opened, root, first, { path: 'second.txt', content: 'three\n' });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const card = page.getByRole('region', { name: 'Changed files' }).last();
    await card.getByText('1 file changed').waitFor();
    await card.getByRole('button', { name: 'Review changes' }).click();
    await page.waitForURL(/\/review\//u);
    await page.getByRole('region', { name: 'second.txt' }).getByText('three').waitFor();
    assert.equal(await page.getByRole('region', { name: 'src/first.txt' }).count(), 0);
    await page.getByRole('button', { name: 'This branch' }).click();
    await page.waitForURL(/\/branch$/u);

    // By keys: the next change, a comment about it, the next file, viewed.
    await page.getByRole('region', { name: 'src/first.txt' }).waitFor();
    await page.getByRole('region', { name: 'Changes', exact: true }).focus();
    await page.keyboard.press('n');
    await page.keyboard.press('c');
    await page
      .getByRole('textbox', { name: 'Comment on line 1 of src/first.txt' })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.type('Why one?');
    // A second line of the same file is added; the words stay.
    const lines = page.getByRole('region', { name: 'src/first.txt' });
    await lines.getByRole('button', { name: 'Comment on line 2' }).click({ modifiers: ['Shift'], force: true });
    await page.getByRole('textbox', { name: 'Comment on lines 1–2 of src/first.txt' }).press('Control+Enter');
    await page.getByRole('button', { name: 'Send 1 comment' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const kept = page.waitForResponse('**/home.set');
    await page.keyboard.press('v');
    await page.getByText('2 files, 1 viewed').waitFor();
    await kept;
    await page.reload();
    await page.getByText('2 files, 1 viewed').waitFor();

    // Only this file goes back, and comes again.
    const file = page.getByRole('region', { name: 'src/first.txt' });
    await file.getByRole('button', { name: 'Undo this file' }).click();
    await page.getByRole('button', { name: 'Undo 1 file' }).click();
    await page.getByText('Undid changes to 1 file.').waitFor();
    await file.getByText('undone').waitFor();
    assert.deepEqual(
      [existsSync(join(directory, 'src/first.txt')), existsSync(join(directory, 'second.txt'))],
      [false, true],
    );
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('Redid changes to 1 file.').waitFor();
    assert.equal(readFileSync(join(directory, 'src/first.txt'), 'utf8'), 'one\ntwo\n');

    await page.getByRole('button', { name: 'Send 1 comment' }).click();
    await page.waitForURL(/\/r\//u);
    await page.getByRole('feed').getByText('Why one?').waitFor();
    const { items } = await ask('tree.subtree', { top: root });
    const said = items.flatMap(({ message }) => (message.role === 'user' ? [JSON.stringify(message.content)] : []));
    assert.match(said.at(-1) ?? '', /src\/first\.txt, lines 1–2/u);
    await page.locator('#composer:focus').waitFor();
  },
);

test(
  '[WB263] files that a turn changes stand above the field while it works, and behind a tab with their number, to review and to take back',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { width: 1500 });
    const { page, ask } = opened;
    const directory = mkdtempSync(join(tmpdir(), 'loom-review-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const { root } = await ask('root.create', { config: { directory } });
    const order = (command: string): string => `call shell ${JSON.stringify({ command })}`;
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const messages = [{ role: 'user' as const, content: order('echo one > made.txt') }];
    const { nodes } = await ask('node.append', { parent: root, messages });
    const { turns } = await ask('turn.start', { node: nodes.at(-1) ?? root, ...demo, tools: ['shell'] });
    const allow = page.locator('button[aria-disabled=false]', { hasText: 'Allow once' });
    await allow.waitFor();
    // The next call waits too, so that the turn is still at work when it has changed a file.
    const content = [{ type: 'text' as const, text: order('true') }];
    await ask('turn.steer', { root, turn: turns[0] ?? '', content });
    await allow.click();
    const pin = page.locator('.pin', { hasText: '1 file changed' });
    await pin.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('region', { name: 'made.txt' }).getByText('one').waitFor();
    await page.goBack();
    await allow.click();
    await pin.waitFor({ state: 'detached' });
    const tab = page.getByRole('tab', { name: /^Changes/u });
    await tab.getByText('1', { exact: true }).waitFor();
    await tab.click();
    const panel = page.getByRole('tabpanel');
    await panel.getByText('made.txt').waitFor();
    await panel.getByRole('button', { name: 'Undo…' }).click();
    await page.getByRole('button', { name: 'Undo 1 file' }).click();
    await panel.getByText('undone').waitFor();
    assert.equal(existsSync(join(directory, 'made.txt')), false);
  },
);

test(
  '[WB655] what is not known of the changes of a turn, or cannot be restored, is said on the card, behind the tab, in the review and before an undo',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { width: 1500 });
    const { page, ask } = opened;
    const directory = mkdtempSync(join(tmpdir(), 'loom-review-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'large.bin'), 'x'.repeat(1024 * 1024 + 1));
    writeFileSync(join(directory, 'small.txt'), 'before\n');
    const { root } = await ask('root.create', { config: { directory, approval_mode: 'sandbox' } });
    const parameters = { command: 'echo x >> large.bin; echo after > small.txt' };
    await work(opened, root, { parent: root, tool: 'shell', parameters });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const note = '1 of the changed files cannot be restored: their contents before the command were not kept.';
    const card = page.getByRole('region', { name: 'Changed files' });
    await card.getByText('2 files changed').waitFor();
    await card.getByText(note).waitFor();
    await card.getByRole('listitem').filter({ hasText: 'large.bin' }).getByText('cannot be undone').waitFor();
    await page.getByRole('tab', { name: /^Changes/u }).click();
    await page.getByRole('tabpanel').getByText(note).waitFor();
    await card.getByRole('button', { name: 'Undo file changes…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 file stays as it is:').waitFor();
    await dialog.getByText(note).waitFor();
    await page.keyboard.press('Escape');
    await card.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('region', { name: 'Changes', exact: true }).getByText(note).waitFor();
  },
);

test(
  '[WB655] a turn whose changes are not known at all has a card that says so, and nothing to undo',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const directory = mkdtempSync(join(tmpdir(), 'loom-review-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    // More files than are watched, each too large to be copied, and none takes room.
    writeFileSync(join(directory, '0'), '');
    truncateSync(join(directory, '0'), 2 * 1024 * 1024);
    for (let name = 1; name <= 50_000; name += 1) linkSync(join(directory, '0'), join(directory, `${name}`));
    const { root } = await ask('root.create', { config: { directory, approval_mode: 'sandbox' } });
    await work(opened, root, { parent: root, tool: 'shell', parameters: { command: 'true' } });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const card = page.getByRole('region', { name: 'Changed files' });
    await card.getByText('Changes to files are not known').waitFor();
    await card.getByText('changes of the first 50000 were watched, changes of others are not known').waitFor();
    assert.equal(await card.getByRole('button').count(), 0);
  },
);

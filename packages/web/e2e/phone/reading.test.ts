import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { violations } from '../testing/axe.ts';
import { begin } from '../testing/begin.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';

const phone = { width: 360, height: 780 } as const;

/** Fails if something is wider than the screen of a phone, or axe finds a fault, in light or dark. */
async function assertFits(page: Page, where: string): Promise<void> {
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, where);
  for (const colorScheme of ['light', 'dark'] as const) {
    assert.deepEqual(await violations(page, { colorScheme, width: 360 }), [], where);
  }
  await page.setViewportSize(phone);
}

test(
  '[WB725] on a phone a diff is read line by line: long lines scroll inside their file, and nothing else does',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, phone);
    const directory = mkdtempSync(join(tmpdir(), 'loom-phone-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const { root } = await ask('root.create', { config: { directory, approval_mode: 'edit' } });
    const long = `one ${'very '.repeat(60)}long line`;
    const content = `call write ${JSON.stringify({ path: 'src/tides.txt', content: `${long}\ntwo\n` })}`;
    const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
    await ask('turn.start', { node: nodes.at(-1) ?? root, provider: 'demo', model: 'demo', tools: ['write'] });
    await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.every(({ ended }) => ended !== undefined),
    );
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: 'Review changes' }).first().click();
    const file = page.getByRole('region', { name: 'src/tides.txt' });
    await file.getByText('two', { exact: true }).waitFor();
    const lines = page.getByRole('group', { name: 'Changes of src/tides.txt' });
    const widths = await lines.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    assert.ok((widths[0] ?? 0) > 1000 && (widths[1] ?? 0) <= 360, `the lines scroll: ${widths.join()}`);
    await assertFits(page, 'the review');
    // One hand: the file is marked as viewed, which folds it.
    await file.getByRole('checkbox', { name: 'Viewed' }).check();
    await lines.waitFor({ state: 'detached' });
  },
);

test(
  '[WB726] on a phone a question is answered in its sheet, and the search and the list of conversations fit',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { ...phone, isAlone: true });
    const tools = (await ask('tool.list', {})).items.map(({ name }) => name);
    const { root, nodes } = await begin(ask, 'ask me something');
    await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools });
    const [waiting] = await eventually(
      async () => (await ask('turn.waiting', {})).items,
      (items) => items.length === 1,
    );
    await page.goto(`/needs-you#${encodeURIComponent(waiting?.node ?? '')}`);
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('radio').or(sheet.getByRole('checkbox')).first().check();
    await assertFits(page, 'the sheet');
    await sheet.getByRole('button', { name: /^Send/u }).click();
    await eventually(
      async () => (await ask('turn.waiting', {})).items.length,
      (length) => length === 0,
    );
    await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.every(({ ended }) => ended !== undefined),
    );

    await page.goto('/search/something');
    await page.getByRole('main').getByRole('link').first().waitFor();
    await assertFits(page, 'the search');
    await page.goto('/conversations');
    await page
      .getByRole('main')
      .getByRole('link', { name: /ask me something/u })
      .waitFor();
    await assertFits(page, 'the conversations');
  },
);

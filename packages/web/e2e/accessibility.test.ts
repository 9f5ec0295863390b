import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '@loom/blocks/testing';
import { violations } from './testing/axe.ts';
import type { Look } from './testing/axe.ts';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

/** Colors differ between light and dark, and the layout between wide and narrow: rules that depend on neither are checked once. */
const colors = ['color-contrast', 'link-in-text-block'];
const looks: readonly Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440, rules: colors },
  { colorScheme: 'light', width: 360 },
];

/** Checks only the colors of screens whose structure is checked in another look; the deep run checks everything. */
const isDeep = runs(0, 1) === 1;
const looksAtColors: readonly Look[] = isDeep ? looks : looks.map((look) => ({ ...look, rules: colors }));

let tour: Promise<string> | undefined;

/** A conversation with everything that the demo can show, for all tests. */
function beginTour(opened: OpenedPage): Promise<string> {
  tour ??= holdTour(opened);
  return tour;
}

async function holdTour({ ask }: OpenedPage): Promise<string> {
  const { root } = await ask('root.create', {});
  const said = async (parent: string, content: string): Promise<void> => {
    const { nodes } = await ask('node.append', { parent, messages: [{ role: 'user', content }] });
    await ask('turn.start', { node: nodes[0] ?? root, provider: 'demo', model: 'demo' });
    await eventually(
      async () => (await ask('root.get', { root })).running,
      (running) => running.length === 0,
    );
  };
  await said(root, 'markdown');
  await said(root, 'think about it');
  const { nodes } = await ask('tree.recent_leaves', { root });
  await said(nodes[0]?.id ?? root, 'show me an error');
  return root;
}

test(
  '[WB134] axe finds nothing wrong with any screen, light and dark, wide and narrow',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const root = await beginTour(opened);
    const found: string[] = [];
    const { nodes } = await opened.ask('tree.recent_leaves', { root, limit: 2 });
    const ends = nodes.map(({ id }) => id.slice(root.length + 1));
    const conversation = [`/r/${root}`, `/tree/${root}`, `/compare/${root}/${ends.join('/')}`];
    const others = [
      '/conversations',
      '/needs-you',
      '/agents',
      '/bookmarks',
      '/usage',
      '/settings',
      '/settings/permissions',
      '/settings/tools',
      '/settings/agents',
      '/components',
    ];
    for (const path of ['/', ...conversation, ...others]) {
      await page.goto(path);
      await page.getByRole('main').waitFor();
      if (path.startsWith('/r/')) await page.getByRole('feed').locator('.prose').first().waitFor();
      const isWhole = path === '/' || path.startsWith('/r/') || path === '/settings' || path === '/components';
      for (const look of isWhole ? looks : looksAtColors)
        for (const fault of await violations(page, look)) found.push(`${path}, ${fault}`);
    }
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.goto(`/r/${root}`);
    await page.getByRole('feed').focus();
    await page.keyboard.press('k');
    const sections = page.getByRole('group', { name: 'About the block' });
    for (const [tab, section] of [['Context'], ['Block', 'Details'], ['Block', 'History'], ['Block', 'Raw']] as const) {
      await page.getByRole('tab', { name: tab }).click();
      if (section !== undefined) await sections.getByRole('button', { name: section }).click();
      await page.locator('.inspector-section').first().waitFor();
      for (const look of looksAtColors.slice(0, 2))
        for (const fault of await violations(page, look)) found.push(`${section ?? tab}, ${fault}`);
    }
    assert.deepEqual(found, []);
  },
);

test(
  '[WB135] at 360 px nothing is wider than the screen, and a conversation can be held',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { width: 360, height: 740 });
    const { page, ask } = opened;
    const root = await beginTour(opened);
    for (const path of [
      '/',
      `/r/${root}`,
      '/needs-you',
      '/agents',
      '/usage',
      '/settings/permissions',
      '/settings/tools',
      '/settings/agents',
    ]) {
      await page.goto(path);
      await page.getByRole('main').waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 360, path);
    }
    const { root: planned } = await ask('root.create', {});
    const plan = { type: 'todo' as const, items: [{ content: 'word'.repeat(60), status: 'pending' as const }] };
    await ask('node.append', { parent: planned, messages: [{ role: 'assistant', content: [plan] }] });
    await page.goto(`/r/${planned}`);
    const task = page.getByRole('feed').getByRole('listitem');
    const hidden = await task.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assert.equal(hidden, 0, 'a long word is broken');
    await page.goto('/');
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page
      .getByRole('link', { name: /think about it|markdown/u })
      .first()
      .click();
    await page.getByRole('textbox', { name: 'Message' }).fill('echo from a telephone');
    await page.getByRole('button', { name: 'Send' }).click();
    const { nodes } = await eventually(
      () => ask('tree.recent_leaves', { root, limit: 1 }),
      ({ nodes }) => JSON.stringify(nodes).includes('from a telephone'),
    );
    assert.equal(nodes.length, 1);
  },
);

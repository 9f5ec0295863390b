import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../testing/chromium.ts';
import { judge } from '../testing/judge.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';
import { madeShare, shareList } from '../../src/sharing/share-answers.ts';

/** Made up, and put together here, so that no scanner takes it for a real one. */
const key = ['ghp', 'Zk3mQ8vT1xR6bW9nL4pY7sD2fG5hJ0cKaEuI'].join('_');

/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A conversation with a bit of everything that a reader may see, and of what they may not. */
async function holdTalk({ ask, client }: OpenedPage): Promise<{ root: string; leaf: string }> {
  const { root } = await ask('root.create', { config: { systemPrompt: 'hidden-system' } });
  const blob = await client.putBlob(Uint8Array.from(Buffer.from(pixel, 'base64')));
  await ask('root.mark', { root, title: 'DST bug in tide forecast' });
  const { nodes } = await ask('node.append', {
    parent: root,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Why is the forecast an hour off?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'hidden-thinking' },
          {
            type: 'text',
            text: `The **zone** is read twice. $x^2$\n\n\`\`\`ts\nconst zone = 'UTC';\n\`\`\`\n\nToken: ${key}`,
          },
          { type: 'tool-use', id: 'call_1', name: 'Bash', parameters: { command: 'cat .npmrc' } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: [{ type: 'command', command: 'cat .npmrc', stdout: `token=${key}\n`, exit_code: 0 }],
      },
      {
        role: 'assistant',
        content: [
          { type: 'image', media_type: 'image/png', blob, filename: 'plot.png' },
          {
            type: 'file-change',
            changes: [
              {
                path: 'src/forecast.ts',
                kind: 'modify',
                diff: '--- a/src/forecast.ts\n+++ b/src/forecast.ts\n@@ -1 +1 @@\n-const zone = local;\n+const zone = utc;\n',
              },
            ],
          },
          { type: 'text', text: 'All 214 tests pass.' },
        ],
      },
    ],
  });
  const [said = root] = nodes;
  await ask('node.append', { parent: said, messages: [{ role: 'assistant', content: 'hidden-branch' }] });
  return { root, leaf: nodes.at(-1) ?? root };
}

async function openDialog(page: Page, root: string, leaf: string): Promise<void> {
  await page.goto(`/r/${root}/${leaf.slice(root.length + 1)}`);
  await page.getByRole('feed').getByText('All 214 tests pass.').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').first().fill('Share');
  await page.getByRole('option', { name: /^Share…/u }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Share “DST bug in tide forecast”' }).waitFor();
}

async function sharesOf({ ask }: OpenedPage, root: string) {
  const { items } = shareList.parse(await ask<string>('share.list', {}));
  return items.filter((item) => item.root === root);
}

test(
  '[WB555] [WB556] the dialog looks for secrets when it opens, replaces them, makes a link by keys alone, and ends it',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, context } = opened;
    const { root, leaf } = await holdTalk(opened);
    await openDialog(page, root, leaf);
    const dialog = page.getByRole('dialog', { name: /^Share/u });
    await dialog.getByText('2 secrets found').waitFor();
    await dialog.getByText('GitHub token in the output of cat .npmrc').waitFor();
    assert.ok(!(await dialog.innerText()).includes(key));
    assert.equal(await dialog.getByRole('checkbox', { name: /^Replace both/u }).isChecked(), true);
    assert.equal(await dialog.getByRole('switch', { name: 'Show thinking' }).getAttribute('aria-checked'), 'false');
    assert.equal(await dialog.getByRole('combobox', { name: 'Expires' }).inputValue(), '7');
    assert.deepEqual(await sharesOf(opened, root), [], 'nothing is shared yet');
    await judge(page, 'share');
    // By keys alone: the focus is on what the reader came for.
    await dialog.getByRole('button', { name: 'Create link' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
    assert.match(link, /\/s\/[\da-f]{12}#share_[\w-]{40,}$/u);
    const [share] = await sharesOf(opened, root);
    assert.deepEqual([share?.whole, share?.thinking, share?.replaced, share?.leaf], [false, false, true, leaf]);
    assert.equal(Math.round(((share?.until ?? 0) - Date.now()) / 86_400_000), 7);
    await judge(page, 'share-made');
    const reader = await context.newPage();
    await reader.goto(link);
    await reader.getByRole('heading', { name: 'DST bug in tide forecast' }).waitFor();
    await reader.getByText('All 214 tests pass.').waitFor();
    await page.goto('/settings/shares');
    await page.getByRole('button', { name: 'Revoke the link of DST bug in tide forecast' }).click();
    await judge(page, 'share-revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await reader.getByRole('heading', { name: 'This link ended' }).waitFor();
    assert.ok(!(await reader.content()).includes('All 214 tests pass.'), 'what was shown is gone');
    assert.deepEqual(await sharesOf(opened, root), []);
  },
);

test(
  '[WB557] a reader sees the branch with pictures, code, formulas and changes, and nothing that was left out',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { allowed: /status of 401/u });
    const { context, ask } = opened;
    const { root, leaf } = await holdTalk(opened);
    const { path } = madeShare.parse(await ask<string>('share.create', { place: leaf }));
    // A browser that knows no token of this server.
    const reader = await (
      await context.browser()?.newContext({ baseURL: opened.served.url, reducedMotion: 'reduce' })
    )?.newPage();
    assert.ok(reader);
    t.after(() => reader.context().close());
    const asked: string[] = [];
    reader.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await reader.goto(path);
    await reader.locator('.katex').first().waitFor();
    await reader.getByRole('button', { name: 'Enlarge plot.png' }).waitFor();
    await reader.getByRole('button', { name: /cat \.npmrc/u }).click();
    await reader.getByText('token=••••').waitFor();
    const shown = await reader.content();
    for (const word of [key, 'hidden-system', 'hidden-thinking', 'hidden-branch', root])
      assert.ok(!shown.includes(word), word);
    assert.deepEqual(
      [
        ...new Set(
          asked
            .filter((one) => one.startsWith('/api/') || one.startsWith('/auth/'))
            .map((one) => one.replace(/sha256.*/u, 'x')),
        ),
      ].sort(),
      ['/api/v1/share', '/api/v1/share/blobs/x', '/api/v1/share/events'],
    );
    await judge(reader, 'shared');
    await reader.setViewportSize({ width: 360, height: 740 });
    const width: unknown = await reader.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 360);
    await judge(reader, 'shared-360');
    // An edit of what is shown comes to open pages.
    await ask('node.edit', { node: leaf, content: 'All 215 tests pass.', mode: 'in-place' });
    await reader.getByText('All 215 tests pass.').waitFor();
    await reader.goto(`${path}x`);
    await reader.getByRole('heading', { name: 'This link ended' }).waitFor();
    await judge(reader, 'shared-ended');
  },
);

test('[WB558] what is shared is saved as one file instead, with the same choices', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t, { width: 360, height: 740 });
  const { page } = opened;
  const { root, leaf } = await holdTalk(opened);
  await openDialog(page, root, leaf);
  const dialog = page.getByRole('dialog', { name: /^Share/u });
  await dialog.getByText('2 secrets found').waitFor();
  await judge(page, 'share-360');
  const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
  assert.equal(width, 360);
  const downloading = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as an HTML file' }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'dst-bug-in-tide-forecast.html');
  const text = readFileSync(await download.path(), 'utf8');
  assert.match(text, /All 214 tests pass/u);
  for (const word of [key, 'hidden-system', 'hidden-thinking', 'hidden-branch', root])
    assert.ok(!text.includes(word), word);
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await sharesOf(opened, root), [], 'a file shares nothing');
});

test(
  '[WB556] a server that goes away ends no link: the page says so, and goes on when it is back',
  { skip: noBrowser },
  async (t) => {
    // Chromium tells of a stream that is cut also after the server is back.
    const allowed = /ERR_INCOMPLETE_CHUNKED_ENCODING: \/api\/v1\/share\/events$/u;
    const opened = await openPage(t, { isAlone: true, allowed });
    const { page, ask, served, whileAway } = opened;
    const { leaf } = await holdTalk(opened);
    const { path } = madeShare.parse(await ask<string>('share.create', { place: leaf }));
    await page.goto(path);
    await page.getByText('All 214 tests pass.').waitFor();
    await whileAway(async () => {
      await served.stop('SIGKILL');
      await page.getByText('This may not be the latest.').waitFor();
      await page.getByText('All 214 tests pass.').waitFor();
      await served.run();
      await eventually(
        () => page.getByText('This may not be the latest.').count(),
        (shown) => shown === 0,
      );
    });
  },
);

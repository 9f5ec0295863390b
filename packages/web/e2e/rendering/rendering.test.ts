import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { startCanary } from '../testing/canary.ts';
import { noBrowser } from '../testing/chromium.ts';
import { hostileDocuments } from '../testing/hostile-documents.ts';
import type { HostileDocument } from '../testing/hostile-documents.ts';
import { eventually, frames, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

/** Shows a text that a model wrote. */
async function showText({ page, ask }: OpenedPage, text: string): Promise<Locator> {
  const { root } = await ask('root.create', {});
  await ask('node.append', {
    parent: root,
    messages: [
      { role: 'user', content: 'Draw it' },
      { role: 'assistant', content: text },
    ],
  });
  await page.goto(`/r/${encodeURIComponent(root)}`);
  const feed = page.getByRole('feed');
  await feed.locator('.prose').nth(1).waitFor();
  return feed;
}

const fenced = ({ language, source }: HostileDocument): string => `\`\`\`${language}\n${source}\n\`\`\``;

test(
  '[WB422] [WB424] [WB425] [WB426] [WB427] formulas, footnotes, tables, code and diagrams of an answer are shown, and copied as their source',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, context } = opened;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const feed = await showText(
      opened,
      [
        'The sum is $a^2 + b^2$ here[^1], not $5 and $6, nor $\\frac{a$.',
        '$$\\sum_i x_i$$',
        '| a | b |\n| --- | --- |\n| 1, 2 | 3 |',
        '```mermaid\ngraph LR\n  Alpha --> Beta\n```',
        '```mermaid\ngraph LR\n  Alpha -->\n```',
        '```svg\n<svg viewBox="0 0 9 9"><rect width="9" height="9"/></svg>\n```',
        '```ts\nlet a = 1;\n```',
        '[^1]: A note.',
      ].join('\n\n'),
    );
    await feed.locator('.formula .katex').nth(1).waitFor();
    assert.equal(await feed.locator('.formula').count(), 2);
    assert.match((await feed.locator('.formula-trouble').textContent()) ?? '', /^Not a valid formula: /u);
    assert.match((await feed.locator('.prose p').nth(1).textContent()) ?? '', /not \$5 and \$6, nor \$\\frac\{a\$/u);
    // Before anything is clicked: what comes late moves what is around it.
    const diagram = feed.getByRole('img', { name: 'Diagram' });
    await diagram.waitFor();
    assert.ok(await diagram.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 50));
    await feed.getByText('Line 2 is not valid Mermaid. The source is shown.').waitFor();
    // A selection copies what was written.
    await page.evaluate(() => {
      const text = document.querySelector('.formula')?.closest('p');
      if (text) getSelection()?.selectAllChildren(text);
      document.execCommand('copy');
    });
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    assert.match(await copied(), /^The sum is \$a\^2 \+ b\^2\$ here/u);
    await feed.getByRole('button', { name: 'Footnote 1', exact: true }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), '1 A note.');
    await feed.locator('.table-frame').hover();
    for (const [item, text] of [
      ['Copy as CSV', 'a,b\r\n"1, 2",3'],
      ['Copy as Markdown', '| a | b |\n| --- | --- |\n| 1, 2 | 3 |'],
    ] as const) {
      await feed.getByRole('button', { name: 'Copy the table' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await eventually(copied, (found) => found.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n'));
    }
    const shown = feed.getByRole('group', { name: 'Shown as' });
    await shown.first().getByRole('button', { name: 'Source' }).click();
    await feed.getByText('Alpha --> Beta').waitFor();
    await shown.first().getByRole('button', { name: 'Picture' }).click();
    await diagram.waitFor();
    await feed.getByRole('img', { name: 'Drawing' }).waitFor();
    await feed.getByRole('button', { name: 'Enlarge the drawing' }).click();
    await feed.getByRole('button', { name: 'Shrink the drawing' }).waitFor();
    const code = feed.locator('.fence').last();
    await code.getByRole('button', { name: 'Wrap long lines' }).click();
    await code.locator('pre.wrapped').waitFor();
    const saved = page.waitForEvent('download');
    await code.getByRole('button', { name: 'Save as a file' }).click();
    assert.equal((await saved).suggestedFilename(), 'code.ts');
  },
);

test(
  '[WB428] [WB429] nothing of forty hostile pages, drawings and diagrams reaches the page or the network, whatever is clicked in them',
  { skip: noBrowser },
  async (t) => {
    const wire = await listenForConnections(t);
    const documents = hostileDocuments(wire.url);
    assert.equal(documents.length, 40);
    const opened = await openPage(t, { height: 26_000, width: 1000, allowed: /./u });
    const { page, context } = opened;
    await page.evaluate(() => localStorage.setItem('secret', 'kept'));
    const harmless = [
      { language: 'html', source: '<p>A quiet page</p>' },
      { language: 'mermaid', source: 'graph LR\n  Last --> One' },
    ] as const;
    const feed = await showText(opened, [...documents, ...harmless].map(fenced).join('\n\n'));
    const address = page.url();
    const previews = feed.getByRole('button', { name: 'Preview', exact: true, pressed: false });
    const pages = [...documents, ...harmless].filter(({ language }) => language === 'html').length;
    await eventually(
      () => previews.count(),
      (count) => count === pages,
    );
    assert.equal(await page.locator('.page-frame').count(), 0, 'no page is shown before it was asked for');
    while ((await previews.count()) > 0) await previews.first().click();
    await eventually(
      () => page.locator('.page-frame iframe').count(),
      (count) => count === pages,
    );
    // Each has a frame in its frame.
    await eventually(
      async () => page.frames().length,
      (count) => count > 2 * pages,
    );
    for (const frame of page.frames()) await frame.waitForLoadState();
    // Diagrams are drawn one after the other.
    await feed
      .locator('.preview', { has: page.getByText('Diagram') })
      .last()
      .getByRole('img')
      .waitFor();
    await clickEverything(page);
    await frames(page, 30);
    assert.deepEqual(wire.connections, []);
    assert.equal(page.url(), address);
    assert.equal(context.pages().length, 1);
    assert.equal(await page.evaluate((): unknown => Reflect.get(window, 'ran')), undefined);
    assert.deepEqual(await page.evaluate(() => [localStorage.getItem('secret'), localStorage.getItem('planted')]), [
      'kept',
      null,
    ]);
    assert.doesNotMatch(await page.evaluate(() => document.cookie), /planted/u);
    // With one wall less the documents show that they are hostile: here they stand in a page without any.
    const bare = await context.newPage();
    const canary = await startCanary(t);
    for (const { language, source } of hostileDocuments(canary.url)) {
      // Some of them leave at once.
      if (language !== 'mermaid') await bare.setContent(source, { waitUntil: 'commit' }).catch(() => {});
    }
    await eventually(
      async () => canary.asked.length,
      (asked) => asked >= 10,
    );
  },
);

/** Clicks whatever a reader could click inside of the pages, wherever it is. */
async function clickEverything(page: Page): Promise<void> {
  let clicked = 0;
  for (const frame of page.frames()) {
    if (frame === page.mainFrame()) continue;
    for (const target of await frame.getByText('click', { exact: true }).all()) {
      await target.click({ force: true, noWaitAfter: true });
      clicked += 1;
    }
  }
  assert.ok(clicked >= 8, `${clicked} clicks`);
}

/** A server that notes whoever connects, also without a word: browsers open connections ahead of requests that they then refuse. */
async function listenForConnections(t: TestContext): Promise<{ url: string; connections: string[] }> {
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push('a connection');
    socket.on('error', () => {});
    socket.on('data', (data) => connections.push(String(data).split('\r\n')[0] ?? ''));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { url: `http://127.0.0.1:${address.port}`, connections };
}
